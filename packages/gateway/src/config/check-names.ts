import { locateModel } from "fullstop/llama";
import { providerMeant } from "../access/allowed-models.ts";
import { messageOf } from "../message-of.ts";
import type { ModelRouter } from "../models/model-router.ts";
import { ConfigError, inField } from "./config-error.ts";
import type { GatewayConfig } from "./config.ts";

/** Refuses names of a configuration that lead nowhere: files of models that are not there, and models of keys. */
export async function checkNames({ models, keys }: GatewayConfig, router: ModelRouter): Promise<void> {
  for (const [name, model] of Object.entries(models)) {
    if ("local" in model && model.local !== undefined) await checkFile(`models.${name}`, model.local);
  }
  for (const [index, key] of keys.entries()) {
    for (const model of key.models ?? []) inField(`keys.${index}.models`, () => checkModel(model, router));
  }
}

/** What has to be downloaded is looked for when it is. */
async function checkFile(field: string, model: string): Promise<void> {
  if (/^(?:hf:|https?:)/iu.test(model)) return;
  try {
    await locateModel(model);
  } catch (error) {
    throw new ConfigError(`${field}: ${messageOf(error)}`);
  }
}

function checkModel(name: string, router: ModelRouter): void {
  const provider = providerMeant(name);
  if (provider === undefined) {
    if (name.includes("*")) throw new ConfigError(`"${name}" is no model; a pattern can be provider/* only`);
    router.resolve(name);
  } else if (!router.providers().includes(provider)) {
    throw new ConfigError(`there is no provider "${provider}", of which "${name}" would be every model`);
  }
}
