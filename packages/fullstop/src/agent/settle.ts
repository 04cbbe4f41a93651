import type { AssistantMessage } from "../request.ts";
import type { TerminationReason } from "../termination.ts";
import { callsOf, textOf } from "./answer.ts";
import type { AgentAnswer, AnswerPart } from "./answer.ts";
import { joinTexts, withoutCalls } from "./cut-back.ts";
import { createRunState } from "./run-state.ts";
import type { RunState } from "./run-state.ts";
import { NOT_RUN, errorResult } from "./run-tools.ts";
import type { StepSettings } from "./settings.ts";
import { spareLeft } from "./spare.ts";

/** Endings after which an answer is all that it was going to be. */
const WHOLE: ReadonlySet<TerminationReason> = new Set(["natural_completion", "stop_sequence", "tool_calls"]);

/** Takes an answer into the history. All counts that belonged to this answer begin anew for the next. */
export function accept(state: RunState, content: readonly AnswerPart[], { signal, cutCalls }: AgentAnswer): RunState {
  const parts = joinTexts(content);
  // Calls that are run make a turn of it, whatever the provider has called its end.
  const isTurn = callsOf(parts).length > 0 && (cutCalls.length > 0 || signal.reason === "unknown");
  const isWhole = WHOLE.has(signal.reason) || isTurn;
  const message = isWhole ? assistant(parts) : { ...assistant(parts), isPartial: true };
  // Concatenated, because a spread history is copied twice, and as a list, because a single item is added the slow way.
  return {
    ...createRunState(parts.length === 0 ? state.messages : state.messages.concat([message])),
    model: state.model,
  };
}

/** The last answer is taken as it is, unless one that was put aside is left because it is more. */
export function settle(state: RunState, answer: AgentAnswer): RunState {
  if (state.spare.length > 0) return closeState(state);
  const settled = accept(state, [...state.draft, ...answer.content], answer);
  const notRun = callsOf(answer.content).map((call) => errorResult(call, NOT_RUN));
  return notRun.length === 0 ? settled : { ...settled, messages: settled.messages.concat(notRun) };
}

/** A run that ends here: what came of an answer that was not finished is kept, and flagged. */
export function closeState(state: RunState): RunState {
  const parts = joinTexts(withoutCalls([...state.draft, ...state.spare]));
  if (textOf(parts) === "") return state;
  const messages = [...state.messages, { ...assistant(parts), isPartial: true }];
  return { ...createRunState(messages), model: state.model };
}

/** A run that breaks on an answer: what came of it is kept. */
export function keepAnswer(state: RunState, answer: AgentAnswer, settings: StepSettings): RunState {
  return settle({ ...state, spare: spareLeft(state.spare, answer, settings) }, answer);
}

/** What the model has said, as a message. */
export function assistant(content: readonly AnswerPart[]): AssistantMessage {
  return { role: "assistant", content };
}
