import { createTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { StopRule } from "./step.ts";

/** Ends the generation at one of the model's own end tokens. Its reason is the natural one: the model was done. */
export function createEosRule(eosTokenIds: readonly number[], minTokens: number): StopRule {
  return createTokenRule("eos", eosTokenIds, minTokens, (id) =>
    createTerminationSignal({
      reason: "natural_completion",
      originalField: "eos_token_id",
      originalValue: String(id),
      message: "End of sequence token detected",
      metadata: { tokenId: id },
    }),
  );
}

/** Ends the generation at a token of the caller's choice, which is told apart from the model's own end. */
export function createStopTokenRule(stopTokenIds: readonly number[], minTokens: number): StopRule {
  return createTokenRule("stop_token", stopTokenIds, minTokens, (id) =>
    createTerminationSignal({
      reason: "stop_sequence",
      detail: "stop_token",
      originalField: "stop_token_id",
      originalValue: String(id),
      message: `Stop token ${id} detected`,
      metadata: { tokenId: id },
    }),
  );
}

function createTokenRule(
  name: string,
  tokenIds: readonly number[],
  minTokens: number,
  toSignal: (id: number) => TerminationSignal,
): StopRule {
  const ids = new Set(tokenIds);
  return {
    name,
    start: () => (step) => {
      for (const id of step.tokenIds) {
        if (ids.has(id) && step.tokens > minTokens) return toSignal(id);
      }
      return undefined;
    },
  };
}
