import type { Dialect } from "../plan/kinds.ts";
import type { Plan, ProviderEnding } from "../plan/plan.ts";

/** A word that no provider has said yet. */
const STRANGE = "quantum_collapse";

/** What providers call the ends of their answers. */
const WORDS: Readonly<Record<Dialect, Readonly<Record<ProviderEnding | "calls", string>>>> = {
  "openai-chat": { natural: "stop", calls: "tool_calls", length: "length", filter: "content_filter", strange: STRANGE },
  // The status, and after a slash the reason of what is not complete.
  "openai-responses": {
    natural: "completed",
    calls: "completed",
    length: "max_output_tokens",
    filter: "content_filter",
    strange: STRANGE,
  },
  "anthropic-messages": {
    natural: "end_turn",
    calls: "tool_use",
    length: "max_tokens",
    filter: "refusal",
    strange: STRANGE,
  },
  gemini: { natural: "STOP", calls: "STOP", length: "MAX_TOKENS", filter: "SAFETY", strange: STRANGE.toUpperCase() },
};

/** What the provider of a plan says at the end of its answer. */
export function endingWordOf({ provider, ending, pieces }: Plan): string {
  const hasCalls = pieces.some(({ channel }) => channel === "call");
  return WORDS[provider][ending === "natural" && hasCalls ? "calls" : ending];
}
