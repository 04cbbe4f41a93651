import { readPartialSettings } from "../rules/generation-settings.ts";
import type { PartialSettings } from "../rules/generation-settings.ts";
import { inField } from "./config-error.ts";

/** Reads the settings that a field of the configuration has for requests which do not say otherwise. */
export function readDefaults(field: string, value: unknown): PartialSettings {
  return value === undefined ? {} : inField(field, () => readPartialSettings(value));
}
