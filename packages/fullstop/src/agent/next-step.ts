import type { TerminationDecision } from "../decide/decision.ts";
import type { ToolCallPart, ToolMessage } from "../request.ts";
import type { TerminationSignal } from "../termination.ts";
import { callsOf, textOf } from "./answer.ts";
import { cutBack, joinTexts, withoutCalls } from "./cut-back.ts";
import type { AgentAnswer, AnswerPart } from "./answer.ts";
import { continuationPrompt } from "./overlap-prompt.ts";
import { endOf } from "./end-of.ts";
import type { AgentEnd } from "./result.ts";
import type { RunState } from "./run-state.ts";
import { errorResult } from "./run-tools.ts";
import type { AgentSettings, StepSettings } from "./settings.ts";
import { accept, assistant, closeState, settle } from "./settle.ts";
import { spareLeft } from "./spare.ts";
import { userMessage } from "./steering.ts";

/** What to do after an answer. */
export type NextStep =
  | { readonly type: "end"; readonly state: RunState; readonly end: AgentEnd }
  | {
      readonly type: "tools";
      readonly state: RunState;
      readonly calls: readonly ToolCallPart[];
      /** The results of calls that are not run. */
      readonly refused: readonly ToolMessage[];
    }
  | {
      readonly type: "generate";
      readonly state: RunState;
      /** How many characters of what a viewer has seen of the answer stay; all of them if undefined. */
      readonly keep: number | undefined;
      readonly waitMilliseconds: number;
      /** The rule by which something is said to the model, if something is. */
      readonly nudge?: string | undefined;
    };

/**
 * What follows from an answer and the decision about it: pure, so that every step of a run can be told in advance.
 * An answer is accepted, put aside to be completed, or dropped; the loop only carries that out.
 */
export function nextStep(
  state: RunState,
  answer: AgentAnswer,
  decision: TerminationDecision,
  settings: StepSettings,
): NextStep {
  const action = decision.suggestedAction;
  // What was put aside is left where the answer in its place is less. The more of the two stands behind the draft.
  const spare = spareLeft(state.spare, answer, settings);
  const behind = spare.length > 0 ? spare : answer.content;
  const whole = [...state.draft, ...behind];
  const attempts = { ...state.attempts, [action]: (state.attempts[action] ?? 0) + 1 };
  const draftLength = textOf(state.draft).length;
  switch (action) {
    case "run_tools":
      return runTools(state, answer, whole, settings);
    case "continue":
      return continueFrom({ ...state, attempts }, whole, answer, settings);
    case "resume": {
      const draft = joinTexts(whole);
      return again({ ...state, draft, spare: [], isContinued: false, attempts, notes: [assistant(draft)] }, undefined);
    }
    case "increase_budget":
      return again({ ...state, attempts, spare: behind, maxOutputTokens: settings.raisedOutputTokens }, draftLength);
    case "modify_prompt": {
      const { words, rule } = wordsFor(answer.signal, decision, settings);
      // Said once is enough, however often it is asked.
      const notes = [
        ...state.notes.filter((note) => note.content[0]?.type !== "text" || note.content[0].text !== words),
        userMessage(words),
      ];
      return again({ ...state, attempts, notes }, draftLength, rule);
    }
    case "switch_model":
      return again({ ...state, attempts, model: "fallback", draft: [], spare: [], notes: [] }, 0);
    case "retry": {
      const waitMilliseconds = waitOf(answer.signal, attempts.retry ?? 1, settings);
      if (waitMilliseconds === undefined) {
        return { type: "end", end: "failed", state: settle({ ...state, spare }, answer) };
      }
      return { ...again({ ...state, attempts, spare: behind }, draftLength), waitMilliseconds };
    }
    default:
      return stop({ ...state, spare }, answer, decision, settings);
  }
}

function again(state: RunState, keep: number | undefined, nudge?: string): Extract<NextStep, { type: "generate" }> {
  return { type: "generate", state, keep, waitMilliseconds: 0, ...(nudge !== undefined && { nudge }) };
}

/** Asks for the rest of what came. Calls in it were not whole, or nobody knows whether they were meant. */
function continueFrom(
  state: RunState,
  whole: readonly AnswerPart[],
  { signal }: AgentAnswer,
  settings: StepSettings,
): NextStep {
  const { draft, spare } = cutBack(joinTexts(withoutCalls(whole)), settings);
  const text = textOf(draft);
  const prompt = continuationPrompt(text, { wording: settings.wording.continuation });
  const keep = spare.length === 0 ? undefined : text.length;
  // All that came is to be written again, so there is nothing to go on from.
  const isAnew = draft.length === 0;
  const notes = isAnew ? [] : [assistant(draft), prompt];
  const step = again(
    { ...state, draft, spare, isContinued: !isAnew, notes },
    keep,
    isAnew ? undefined : "continuation",
  );
  if (signal.reason !== "error_termination") return step;
  const waitMilliseconds = waitOf(signal, state.attempts.continue ?? 1, settings);
  if (waitMilliseconds === undefined) return { type: "end", end: "failed", state: step.state };
  return { ...step, waitMilliseconds };
}

/** Nothing more is done. If a raised limit was refused, the answer that it was raised for is still there. */
function stop(state: RunState, answer: AgentAnswer, decision: TerminationDecision, settings: StepSettings): NextStep {
  const isRefusedLimit =
    answer.signal.detail === "invalid_request" && !answer.wasShown && state.maxOutputTokens !== undefined;
  if (isRefusedLimit && textOf(state.spare) !== "") {
    // Written anew under the limit that has cut it, it would be cut again.
    if (settings.isOnePiece === true) return { type: "end", end: "incomplete", state: closeState(state) };
    const whole = [...state.draft, ...state.spare];
    return continueFrom({ ...state, maxOutputTokens: undefined }, whole, answer, { ...settings, retryMilliseconds: 0 });
  }
  const end = endOf(answer.signal, decision);
  // What was put aside was cut, and is no more complete by an answer that ends well and brings less.
  if (state.spare.length > 0) {
    return { type: "end", end: end === "completed" ? "incomplete" : end, state: closeState(state) };
  }
  // Asked for the rest, the model had nothing to say, whatever it calls that: what came before is still a part.
  const isPart = state.isContinued && end !== "completed" && isBlank(answer.content);
  const part = { ...state, draft: [...state.draft, ...answer.content] };
  return { type: "end", end, state: isPart ? closeState(part) : settle(state, answer) };
}

/** Whether there is nothing that anybody could read or do. */
function isBlank(content: readonly AnswerPart[]): boolean {
  return content.every((part) => part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""));
}

/** What to say to the model about an answer that cannot be used. */
function wordsFor(
  signal: TerminationSignal,
  { metadata }: TerminationDecision,
  { wording }: AgentSettings,
): { readonly words: string; readonly rule: string } {
  switch (metadata["rule"]) {
    case "malformed_call":
      return { words: withProblem(wording.malformedCall, signal.message), rule: "malformed_call" };
    case "calls_missing":
      return { words: wording.missingCall, rule: "calls_missing" };
    default:
      return { words: wording.emptyAnswer, rule: "empty_answer" };
  }
}

function withProblem(words: string, problem: string | undefined): string {
  return problem === undefined ? words : `${words} The problem: ${problem}`;
}

/** How often a model may run into the limit in the middle of its calls before that is given up. */
const MOST_CUT_ROUNDS = 3;

/** Calls that are not whole stay in the history with empty arguments and an error, which every provider takes. */
function runTools(
  state: RunState,
  answer: AgentAnswer,
  whole: readonly AnswerPart[],
  { wording }: AgentSettings,
): NextStep {
  const calls = callsOf(answer.content);
  const isLimit = answer.signal.reason === "token_limit_reached";
  const cut = answer.cutCalls.map((call) => ({ ...call, json: "{}" }));
  const refused = answer.cutCalls.map((call) =>
    errorResult(call, isLimit ? wording.cutCall : withProblem(wording.malformedCall, problemOf(call.json))),
  );
  const cutRounds = calls.length === 0 ? state.cutRounds + 1 : 0;
  const accepted = accept(state, [...whole, ...cut], answer);
  // Rounds of tools are counted over the whole run; everything else begins anew with an answer that was accepted.
  const attempts = { run_tools: (state.attempts.run_tools ?? 0) + 1 };
  const next = { ...accepted, attempts, cutRounds };
  if (cutRounds <= MOST_CUT_ROUNDS) return { type: "tools", state: next, calls, refused };
  return { type: "end", end: "incomplete", state: { ...next, messages: [...next.messages, ...refused] } };
}

/** What is wrong with arguments that are not JSON. */
function problemOf(json: string): string | undefined {
  try {
    JSON.parse(json);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : undefined;
  }
}

/** How long to wait before the next try; nothing if the provider asks for more than anybody would wait. */
function waitOf(signal: TerminationSignal, attempt: number, settings: AgentSettings): number | undefined {
  const { retryMilliseconds, maxRetryMilliseconds } = settings;
  const asked = signal.providerSpecific.metadata?.["retryAfterMilliseconds"];
  // A time that is no wait, such as one that is over by the clock of this machine, would use up all tries at once.
  if (typeof asked === "number" && asked > 0) return asked > maxRetryMilliseconds ? undefined : asked;
  return Math.min(maxRetryMilliseconds, retryMilliseconds * 2 ** (attempt - 1));
}
