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
  endingIds: readonly number[],
  minTokens: number,
  toSignal: (id: number) => TerminationSignal,
): StopRule {
  const ids = new Set(endingIds);
  return {
    name,
    start: () => (step) => {
      const { tokenIds, tokens } = step;
      for (let index = 0; index < tokenIds.length; index++) {
        // The number of this very token, so that it makes no difference how many came in one piece.
        const number = tokens - tokenIds.length + index + 1;
        if (number > minTokens && ids.has(tokenIds[index]!)) return toSignal(tokenIds[index]!);
      }
      return undefined;
    },
  };
}
