import type { GenerationRequest } from "fullstop";
import type { WireWarning } from "fullstop/wire";
import type { PartialSettings } from "./generation-settings.ts";

/** What servers for open models call keeping a stop string in the answer: vLLM and SGLang. */
const KEPT = ["include_stop_str_in_output", "no_stop_trim"] as const;

/**
 * The rules that a request asks for in the words of such servers. They are told as well, as whatever only their dialect
 * has; but stop strings are looked for here, whoever answers. What is no proper value is for them to refuse.
 */
export function settingsInWordsOfServers({ native }: GenerationRequest): PartialSettings {
  if (native?.format !== "openai-chat") return NOTHING;
  const { fields } = native;
  const include = KEPT.some((name) => fields[name] === true);
  const minTokens = countOf(fields["min_tokens"]);
  if (!include && minTokens === undefined) return NOTHING;
  return { rules: { ...(include && { include }), ...(minTokens !== undefined && { minTokens }) } };
}

/** Whether a warning is of a rule in such words that a provider could not be told, and that is applied here instead. */
export function isAppliedHere({ native }: GenerationRequest, { field }: WireWarning): boolean {
  if (native?.format !== "openai-chat") return false;
  const value = native.fields[field];
  return field === "min_tokens"
    ? countOf(value) !== undefined
    : KEPT.some((name) => name === field) && typeof value === "boolean";
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

const NOTHING: PartialSettings = {};
