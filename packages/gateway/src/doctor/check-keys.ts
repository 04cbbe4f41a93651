import type { Provider } from "fullstop/engines";
import type { GatewayConfig } from "../config/config.ts";
import { configuredProvider } from "../config/configured-providers.ts";
import { KNOWN_PROVIDERS, PROVIDER_KEYS } from "../config/environment.ts";
import type { Environment } from "../config/environment.ts";
import { messageOf } from "../message-of.ts";
import { absent, check, well, wrong } from "./check.ts";
import type { Check, Finding } from "./check.ts";

/** A key that is there, and whose. */
interface GivenKey {
  readonly variable: string;
  readonly open: () => Provider;
}

/** Which keys of providers are set, and if asked, whether the providers take them. No key is in what is found. */
export async function checkKeys(
  config: GatewayConfig,
  environment: Environment,
  online: boolean,
): Promise<readonly Check[]> {
  const keys = givenKeys(config, environment);
  if (keys.length === 0) {
    return [await check("keys", "", () => absent("no key of a provider is set, only local models can be asked"))];
  }
  return Promise.all(
    keys.map(({ variable, open }) =>
      check(variable, `set ${variable} again`, () => (online ? tryKey(variable, open) : readKey(open))),
    ),
  );
}

function givenKeys({ providers }: GatewayConfig, environment: Environment): readonly GivenKey[] {
  const keyOf = (variable: string): string => environment[variable] ?? "";
  const configured = Object.entries(providers).flatMap(([name, description]): readonly GivenKey[] => {
    const variable = "baseUrl" in description ? description.apiKeyEnv : undefined;
    if (variable === undefined || !("baseUrl" in description) || keyOf(variable) === "") return [];
    return [{ variable, open: () => configuredProvider(name, description, keyOf(variable)) }];
  });
  const known = [...KNOWN_PROVIDERS].flatMap(([name, provider]): readonly GivenKey[] => {
    const variable = PROVIDER_KEYS.get(name) ?? "";
    const key = keyOf(variable);
    return key === "" ? [] : [{ variable, open: () => provider(key) }];
  });
  return [...configured, ...known];
}

function readKey(open: () => Provider): Finding {
  open();
  return well("is set");
}

/** How long a provider may take to answer. */
const PATIENCE_MILLISECONDS = 10_000;

/** Asks a provider for the list of its models, which costs nothing and needs the key. */
async function tryKey(variable: string, open: () => Provider): Promise<Finding> {
  const { baseUrl, headers = {} } = open();
  const given = typeof headers === "function" ? await headers() : headers;
  const { host } = new URL(baseUrl);
  try {
    const { status, body } = await fetch(`${baseUrl.replace(/\/+$/u, "")}/models`, {
      headers: { "anthropic-version": "2023-06-01", ...given },
      // To wherever a server sends us, the key would go along.
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    });
    await body?.cancel();
    if (status === 401 || status === 403) return wrong(`${host} refuses the key`, `set ${variable} to another one`);
    if (status >= 300 && status < 400) {
      return wrong(`${host} redirects to another address, which is not followed`, "put the right one into baseUrl");
    }
    return status < 300 ? well(`${host} takes it`) : wrong(`${host} answers with ${status}`, "try again later");
  } catch (error) {
    return wrong(`${host} cannot be reached: ${messageOf(error)}`, "check the connection to the internet");
  }
}
