import { SHA256 } from "../access/gatekeeper.ts";
import type { AccessKey } from "../access/gatekeeper.ts";
import { ConfigError } from "./config-error.ts";
import type { GatewayConfig } from "./config.ts";
import type { Environment } from "./environment.ts";
import { readDefaults } from "./read-defaults.ts";

/** The variable that holds the hash of one more operator's key, for servers that have no file of their own. */
const VARIABLE = "FULLSTOP_KEY_SHA256";

/** A key, and where it stands. */
interface PlacedKey {
  readonly place: string;
  readonly key: AccessKey;
}

/** The keys of the configuration and of the environment. */
export function accessKeysOf(config: GatewayConfig, environment: Environment): readonly AccessKey[] {
  const { keys, anonymous } = config;
  if (keys.length > 0 && anonymous !== undefined) {
    throw new ConfigError("anonymous: there are keys, so that nobody comes in without one");
  }
  const placed = keys.map(({ defaults, ...key }, index): PlacedKey => {
    const place = `keys.${index}`;
    return { place, key: { ...key, defaults: readDefaults(`${place}.defaults`, defaults) } };
  });
  const all = [...placed, ...environmentKeys(environment)];
  for (const each of all) checkAmong(all, each);
  return all.map(({ key }) => key);
}

function environmentKeys(environment: Environment): readonly PlacedKey[] {
  const sha256 = environment[VARIABLE];
  if (sha256 === undefined || sha256 === "") return [];
  if (!SHA256.test(sha256)) {
    // It is not quoted: somebody may have put the key itself there.
    throw new ConfigError("FULLSTOP_KEY_SHA256 must be the SHA-256 of a key, in hexadecimal");
  }
  return [{ place: VARIABLE, key: { name: "operator", sha256, operator: true } }];
}

/** Refuses a key that cannot stand beside those before it. */
function checkAmong(all: readonly PlacedKey[], { place, key }: PlacedKey): void {
  const namesake = all.find((each) => each.key.name === key.name);
  if (JSON.stringify(namesake?.key.limits) !== JSON.stringify(key.limits)) {
    const field = place === VARIABLE ? place : `${place}.limits`;
    throw new ConfigError(`${field}: another key of "${key.name}" has other limits; they count together`);
  }
  const first = all.find((each) => each.key.sha256.toLowerCase() === key.sha256.toLowerCase());
  if (first !== undefined && first.place !== place) {
    const field = place === VARIABLE ? place : `${place}.sha256`;
    // Whoever comes with it would be one of the two, with the rights of that one alone.
    throw new ConfigError(`${field}: it is the hash of ${first.place}, too; each has to be that of another key`);
  }
}
