import { invalidArgument } from "../errors.ts";
import { checkFormats } from "./check-formats.ts";
import type { ProviderDescription } from "./providers.ts";

/** The names by which some providers go as well, which are those of their models, their clients or their dialects. */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["openai", ["openai-chat"]],
  ["azure", ["azure-openai"]],
  ["xai", ["grok"]],
  ["mistral", ["mistral-ai"]],
  ["together", ["together-ai"]],
  ["fireworks", ["fireworks-ai"]],
  ["zhipu", ["z-ai", "glm"]],
  ["tgi", ["text-generation-inference"]],
  ["anthropic", ["claude"]],
  ["google", ["gemini", "vertex", "google-vertex"]],
  ["bedrock", ["amazon-bedrock", "aws-bedrock"]],
]);

/**
 * Makes the lookup of a provider's id by a name that somebody uses for it: in any case, however its parts are joined
 * (`llama.cpp`, `LM Studio`), or one of the other names above. A name nobody knows stays what it is. What follows an @
 * is a version, and stays as well.
 */
export function defineProviderNames(descriptions: readonly ProviderDescription[]): (name: string) => string {
  checkDescriptions(descriptions);
  const ids = new Map<string, string>();
  const own = descriptions.map(({ id }) => normaliseName(id));
  for (const id of own) {
    for (const name of OTHER_NAMES.get(id) ?? []) ids.set(squeeze(name), id);
  }
  // What somebody calls a provider of their own comes before what another one is called as well.
  for (const id of own) ids.set(squeeze(id), id);
  return (name) => {
    const [given = "", ...version] = normaliseName(name).split("@");
    return [ids.get(squeeze(given)) ?? given, ...version].join("@");
  };
}

/** A provider's id or name as it is kept: blanks around it and upper case carry no meaning. */
export function normaliseName(name: string): string {
  return name.trim().toLowerCase();
}

function checkDescriptions(descriptions: readonly ProviderDescription[]): void {
  if (!Array.isArray(descriptions)) {
    throw invalidArgument("providers", "must be a list of descriptions, such as PROVIDERS", descriptions);
  }
  for (const description of descriptions as readonly ProviderDescription[]) {
    if (typeof description?.id !== "string") {
      throw invalidArgument("providers", "must hold descriptions with an id and formats", description);
    }
    checkFormats(`providers ${description.id} formats`, description.formats ?? null);
  }
}

function squeeze(name: string): string {
  return name.replaceAll(/[\s._-]+/gu, "");
}
