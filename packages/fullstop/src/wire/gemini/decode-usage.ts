import type { Usage } from "../../events.ts";
import { countOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage, sumOf } from "../reading/usage.ts";

/** Reads token counts as Gemini gives them: thoughts and the prompts of its own tools are counted apart there. */
export function decodeGeminiUsage(usage: JsonRecord): Usage | undefined {
  const thoughts = countOf(usage["thoughtsTokenCount"]);
  return createUsage({
    inputTokens: sumOf(countOf(usage["promptTokenCount"]), countOf(usage["toolUsePromptTokenCount"])),
    outputTokens: sumOf(countOf(usage["candidatesTokenCount"]), thoughts),
    cachedInputTokens: countOf(usage["cachedContentTokenCount"]),
    reasoningTokens: thoughts,
  });
}
