import type { GenerationRequest } from "fullstop";
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
  const { min_tokens: least } = fields;
  const include = KEPT.some((name) => fields[name] === true);
  const minTokens = typeof least === "number" && Number.isSafeInteger(least) && least > 0 ? least : undefined;
  if (!include && minTokens === undefined) return NOTHING;
  return { rules: { ...(include && { include }), ...(minTokens !== undefined && { minTokens }) } };
}

const NOTHING: PartialSettings = {};
