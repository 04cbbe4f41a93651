import type { GenerationEvent, GenerationRequest, Usage } from "fullstop";

/** About how many characters a token has. */
const CHARACTERS_PER_TOKEN = 4;

/** What an answer has cost, by its length, where the provider has not said it. */
export function estimateUsage({ messages }: GenerationRequest, events: readonly GenerationEvent[]): Usage {
  let characters = 0;
  for (const event of events) {
    if (event.type === "text" || event.type === "reasoning") characters += event.text.length;
    else if (event.type === "tool-call-delta") characters += event.json.length;
  }
  return {
    inputTokens: Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    estimated: true,
  };
}

/** What two answers have cost together, the first of them by an estimate. */
export function addUsage(estimate: Usage, usage: Usage): Usage {
  return {
    ...usage,
    inputTokens: estimate.inputTokens + usage.inputTokens,
    outputTokens: estimate.outputTokens + usage.outputTokens,
    estimated: true,
  };
}

/** What an answer that was not read to its end has cost: what was counted, or more where more has come since. */
export function settleUsage(known: Usage | undefined, estimate: Usage): Usage {
  if (known === undefined) return estimate;
  const { outputTokens } = estimate;
  return known.outputTokens >= outputTokens ? known : { ...known, outputTokens, estimated: true };
}
