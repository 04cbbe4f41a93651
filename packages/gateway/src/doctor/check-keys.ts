import type { Provider } from "fullstop/engines";
import type { GatewayConfig } from "../config/config.ts";
import { configuredProvider } from "../config/configured-providers.ts";
import { environmentProviders } from "../config/environment.ts";
import type { Environment } from "../config/environment.ts";
import { messageOf } from "../message-of.ts";
import { askForModels } from "../models/provider-models.ts";
import { absent, check, well, wrong } from "./check.ts";
import type { Check, Finding } from "./check.ts";

/** A provider that is there because a variable is set. */
interface GivenProvider {
  readonly variable: string;
  /** Whether the variable holds a key, and not where the provider is. */
  readonly hasKey: boolean;
  readonly open: () => Provider;
}

/**
 * Which providers the environment has a key or an address for, and if asked, whether they take the keys. Those that
 * need no key are asked anyway. No key is in what is found.
 */
export async function checkKeys(
  config: GatewayConfig,
  environment: Environment,
  online: boolean,
): Promise<readonly Check[]> {
  const given = givenProviders(config, environment);
  if (given.length === 0) {
    return [await check("keys", "", () => absent("no key of a provider is set, only local models can be asked"))];
  }
  return Promise.all(
    given.map((provider) =>
      check(provider.variable, `set ${provider.variable} again`, () =>
        online || !provider.hasKey ? tryProvider(provider) : readKey(provider),
      ),
    ),
  );
}

function givenProviders({ providers }: GatewayConfig, environment: Environment): readonly GivenProvider[] {
  const keyOf = (variable: string): string => environment[variable] ?? "";
  const configured = Object.entries(providers).flatMap(([name, description]): readonly GivenProvider[] => {
    const variable = "baseUrl" in description ? description.apiKeyEnv : undefined;
    if (variable === undefined || !("baseUrl" in description) || keyOf(variable) === "") return [];
    return [{ variable, hasKey: true, open: () => configuredProvider(name, description, keyOf(variable)) }];
  });
  return [...configured, ...environmentProviders(environment)];
}

function readKey({ open }: GivenProvider): Finding {
  open();
  return well("is set");
}

/** How long a provider may take to answer. */
const PATIENCE_MILLISECONDS = 10_000;

/** Asks a provider for the list of its models. */
async function tryProvider({ variable, hasKey, open }: GivenProvider): Promise<Finding> {
  const provider = open();
  const { url, headers } = await askForModels(provider);
  const { host } = new URL(url);
  try {
    const { status, body } = await fetch(url, {
      headers,
      // To wherever a server sends us, the key would go along.
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    });
    await body?.cancel();
    if (status === 401 || status === 403) {
      return hasKey
        ? wrong(`${host} refuses the key`, `set ${variable} to another one`)
        : wrong(`${host} wants a key`, "set it");
    }
    if (status >= 300 && status < 400) {
      return wrong(`${host} redirects to another address, which is not followed`, "put the right one into baseUrl");
    }
    if (status < 300) return well(hasKey ? `${host} takes it` : `${host} answers`);
    return wrong(`${host} answers with ${status}`, hasKey ? "try again later" : `look whether ${variable} is right`);
  } catch (error) {
    const advice = hasKey ? `check the connection to ${host}` : `start the server, or correct ${variable}`;
    return wrong(`${host} cannot be reached: ${reasonOf(error)}`, advice);
  }
}

/** Why a request failed: `fetch` says only "fetch failed", and keeps what happened in the error's causes. */
function reasonOf(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const code = deepest instanceof Error && "code" in deepest ? String(deepest.code) : "";
  // A name with several addresses fails at each of them, which are causes without a common sentence.
  return messageOf(deepest) || code;
}
