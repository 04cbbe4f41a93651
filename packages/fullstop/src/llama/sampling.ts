import type { LlamaGrammarEvaluationState, SequenceEvaluateOptions, Token } from "node-llama-cpp";
import type { LlamaSampling } from "./request.ts";

/** How many of the last tokens a penalty looks at. */
const PENALTY_WINDOW = 64;

/** What bears on the choice of the next token, looked at anew for each. */
export interface SamplingState {
  /** The tokens generated so far. */
  readonly written: readonly Token[];
  /** The grammar that the next token has to keep to, if any. */
  readonly grammar: () => LlamaGrammarEvaluationState | undefined;
}

/** Puts sampling settings into the words of llama.cpp. */
export function toEvaluateOptions(sampling: LlamaSampling, state: SamplingState): SequenceEvaluateOptions {
  // Said in full: what is left out would otherwise be chosen by node-llama-cpp.
  const { temperature = 0, topP = 1, topK = 0, minP = 0, seed } = sampling;
  return {
    temperature,
    topP,
    topK,
    minP,
    ...(seed !== undefined && { seed }),
    ...penaltyOf(sampling, state.written),
    grammarEvaluationState: state.grammar,
    // The end token is for the guard to see, like every other one.
    yieldEogToken: true,
  };
}

function penaltyOf(sampling: LlamaSampling, written: readonly Token[]): Pick<SequenceEvaluateOptions, "repeatPenalty"> {
  const { repeatPenalty, presencePenalty, frequencyPenalty } = sampling;
  if ([repeatPenalty, presencePenalty, frequencyPenalty].every((penalty) => penalty === undefined)) return {};
  return {
    repeatPenalty: {
      punishTokens: () => written.slice(-PENALTY_WINDOW),
      maxPunishTokens: PENALTY_WINDOW,
      penalty: repeatPenalty ?? 1,
      ...(presencePenalty !== undefined && { presencePenalty }),
      ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    },
  };
}
