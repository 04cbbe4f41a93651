import type { GenerationEvent } from "../events.ts";
import { compose } from "../stage.ts";
import type { Sink, Stage } from "../stage.ts";
import { defineGuard } from "../stop/guard.ts";
import { textOf } from "./answer.ts";
import type { AnswerPart } from "./answer.ts";
import type { RunState } from "./run-state.ts";
import { defineMarkFilter } from "./quote-marks.ts";
import { defineContinuationTrimmer } from "./replay.ts";
import type { ContinuationTrimmerOptions } from "./replay.ts";
import type { RunSetup } from "./run-setup.ts";

/**
 * What the next answer of a run passes through: the given stage, and if the answer is to be the rest of a draft,
 * before that a trimmer, because models often begin with what they have already said, and small ones with the marks
 * that it was shown to them in.
 */
export function defineAnswerStage(
  { draft, isContinued }: RunState,
  { stage, settings }: Pick<RunSetup, "stage" | "settings">,
  { onNewVersion, onRepeatedEnd }: Pick<ContinuationTrimmerOptions, "onNewVersion" | "onRepeatedEnd">,
): Stage<GenerationEvent, GenerationEvent> {
  const before = textOf(draft);
  if (before === "") return stage;
  let kept = before.length;
  const { maxCharacters } = settings;
  const limited =
    maxCharacters === undefined
      ? stage
      : compose(
          defineRestLimit(maxCharacters, () => kept),
          stage,
        );
  if (!isContinued) return limited;
  const trim = defineContinuationTrimmer(before, {
    onNewVersion: (keep) => {
      kept = keep;
      onNewVersion(keep);
    },
    onRepeatedEnd,
  });
  return compose(compose(defineMarkFilter(before), trim), limited);
}

/** Ends the rest of a text where both together are as long as they may be. Engines count each answer by itself. */
function defineRestLimit(maxCharacters: number, kept: () => number): Stage<GenerationEvent, GenerationEvent> {
  return (next) => {
    let guard: Sink<GenerationEvent> | undefined;
    return {
      push(event) {
        // How much of the draft stays is known when the first text gets here.
        if (event.type === "text" && event.text !== "") {
          guard ??= defineGuard({ maxCharacters: Math.max(0, maxCharacters - kept()) })(next);
        }
        (guard ?? next).push(event);
      },
      end: () => (guard ?? next).end(),
    };
  };
}

/**
 * Takes back all of the draft after its first `length` characters of text. What stands behind the cut goes with it:
 * thinking and searches there led to a text that is no more.
 */
export function cutDraft(state: RunState, length: number): RunState {
  if (length >= textOf(state.draft).length) return state;
  const draft: AnswerPart[] = [];
  let left = length;
  for (const part of state.draft) {
    if (left === 0) break;
    if (part.type === "text") {
      draft.push({ ...part, text: part.text.slice(0, left) });
      left -= Math.min(left, part.text.length);
    } else draft.push(part);
  }
  // What was put aside stood behind the draft as it was.
  return { ...state, draft, spare: [] };
}
