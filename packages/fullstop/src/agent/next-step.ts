import type { SuggestedAction, TerminationDecision } from "../decide/decision.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../request.ts";
import type { TerminationReason, TerminationSignal } from "../termination.ts";
import { callsOf, textOf } from "./answer.ts";
import type { AgentAnswer, AnswerPart } from "./answer.ts";
import type { ViewerMode } from "./events.ts";
import { continuationPrompt } from "./overlap-prompt.ts";
import type { AgentEnd } from "./result.ts";
import { errorResult } from "./run-tools.ts";
import type { AgentSettings } from "./settings.ts";
import { userMessage } from "./steering.ts";

/** Where a run stands between two answers. */
export interface RunState {
  /** What has been said for good. */
  readonly messages: readonly Message[];
  /** An answer that is being put together from several: what came of it so far. */
  readonly draft: readonly AnswerPart[];
  /** What is said to the model with the next request only, after the messages. */
  readonly notes: readonly Message[];
  /** How often each action was taken since the last answer that was accepted. */
  readonly attempts: Readonly<Partial<Record<SuggestedAction, number>>>;
  /** The output limit after it was raised. */
  readonly maxOutputTokens: number | undefined;
  readonly model: "main" | "fallback";
  /** How many answers in a row held nothing but calls that were cut. */
  readonly cutRounds: number;
}

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
      readonly viewer: ViewerMode;
      readonly waitMilliseconds: number;
      /** The rule by which something is said to the model, if something is. */
      readonly nudge?: string | undefined;
    };

/** A conversation at its beginning. */
export function createRunState(messages: readonly Message[]): RunState {
  return { messages, draft: [], notes: [], attempts: {}, maxOutputTokens: undefined, model: "main", cutRounds: 0 };
}

/**
 * What follows from an answer and the decision about it: pure, so that every step of a run can be told in advance.
 * An answer is accepted, put aside to be completed, or dropped; the loop only carries that out.
 */
export function nextStep(
  state: RunState,
  answer: AgentAnswer,
  decision: TerminationDecision,
  settings: AgentSettings,
): NextStep {
  const action = decision.suggestedAction;
  const content = [...state.draft, ...answer.content];
  const attempts = { ...state.attempts, [action]: (state.attempts[action] ?? 0) + 1 };
  const { wording } = settings;
  switch (action) {
    case "retry":
      return { ...again({ ...state, attempts }, "replace"), waitMilliseconds: waitOf(answer, state, settings) };
    case "run_tools":
      return runTools(state, answer, content, settings);
    case "continue": {
      const draft = joinTexts(withoutCalls(content));
      const prompt = continuationPrompt(textOf(draft), { wording: wording.continuation });
      return again({ ...state, draft, attempts, notes: [assistant(draft), prompt] }, "append", "continuation");
    }
    case "resume": {
      const draft = joinTexts(content);
      return again({ ...state, draft, attempts, notes: [assistant(draft)] }, "append");
    }
    case "increase_budget":
      return again({ ...state, attempts, maxOutputTokens: settings.raisedOutputTokens }, "replace");
    case "modify_prompt": {
      const isMalformed = decision.metadata["rule"] === "malformed_call";
      const words = isMalformed ? wording.malformedCall : wording.emptyAnswer;
      const notes = [...state.notes, userMessage(words)];
      return again({ ...state, attempts, notes }, "replace", isMalformed ? "malformed_call" : "empty_answer");
    }
    case "switch_model":
      return again({ ...state, attempts, model: "fallback", draft: [], notes: [] }, "replace");
    default:
      return { type: "end", end: endOf(answer.signal, decision), state: accept(state, content, answer) };
  }
}

function again(state: RunState, viewer: ViewerMode, nudge?: string): Extract<NextStep, { type: "generate" }> {
  return { type: "generate", state, viewer, waitMilliseconds: 0, ...(nudge !== undefined && { nudge }) };
}

/** How often a model may run into the limit in the middle of its calls before that is given up. */
const MOST_CUT_ROUNDS = 3;

/** Calls that were cut stay in the history with empty arguments and an error, which every provider takes. */
function runTools(
  state: RunState,
  answer: AgentAnswer,
  content: readonly AnswerPart[],
  { wording }: AgentSettings,
): NextStep {
  const calls = callsOf(answer.content);
  const cut = answer.cutCalls.map((call) => ({ ...call, json: "{}" }));
  const cutRounds = calls.length === 0 ? state.cutRounds + 1 : 0;
  const accepted = accept(state, [...content, ...cut], answer);
  // Rounds of tools are counted over the whole run; everything else begins anew with an answer that was accepted.
  const attempts = { run_tools: (state.attempts.run_tools ?? 0) + 1 };
  const next = { ...accepted, attempts, cutRounds };
  if (cutRounds > MOST_CUT_ROUNDS) return { type: "end", end: "incomplete", state: next };
  return { type: "tools", state: next, calls, refused: cut.map((call) => errorResult(call, wording.cutCall)) };
}

/** Takes an answer into the history. With it everything begins anew that was counted for it. */
function accept(state: RunState, content: readonly AnswerPart[], { signal }: AgentAnswer): RunState {
  const isWhole = signal.reason !== "cancelled" && signal.detail !== "truncated";
  const parts = joinTexts(content);
  const message = isWhole ? assistant(parts) : { ...assistant(parts), isPartial: true };
  return {
    ...createRunState(parts.length === 0 ? state.messages : [...state.messages, message]),
    model: state.model,
  };
}

function assistant(content: readonly AnswerPart[]): AssistantMessage {
  return { role: "assistant", content };
}

function withoutCalls(content: readonly AnswerPart[]): readonly AnswerPart[] {
  return content.filter((part) => part.type !== "tool-call");
}

/** Text that was continued is one text. */
function joinTexts(content: readonly AnswerPart[]): readonly AnswerPart[] {
  const joined: AnswerPart[] = [];
  for (const part of content) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text")
      joined.splice(-1, 1, { type: "text", text: last.text + part.text });
    else joined.push(part);
  }
  return joined;
}

function waitOf({ signal }: AgentAnswer, { attempts }: RunState, settings: AgentSettings): number {
  const { retryMilliseconds, maxRetryMilliseconds } = settings;
  const asked = signal.providerSpecific.metadata?.["retryAfterMilliseconds"];
  const planned = retryMilliseconds * 2 ** (attempts.retry ?? 0);
  return Math.min(maxRetryMilliseconds, typeof asked === "number" ? Math.max(asked, 0) : planned);
}

/** What it means that nothing more is done after an answer that ended for each reason. */
const ENDS: Readonly<Record<TerminationReason, AgentEnd>> = {
  natural_completion: "completed",
  stop_sequence: "completed",
  tool_calls: "incomplete",
  token_limit_reached: "incomplete",
  context_window_exceeded: "context_full",
  content_filtered: "refused",
  paused: "incomplete",
  repetition_detected: "incomplete",
  budget_exceeded: "incomplete",
  cancelled: "stopped",
  error_termination: "failed",
  unknown: "completed",
};

function endOf({ reason }: TerminationSignal, { metadata }: TerminationDecision): AgentEnd {
  const end = ENDS[reason];
  // An answer that would have been asked for again is not complete only because that may not be done any more.
  return end === "completed" && metadata["rule"] === "bound_reached" ? "incomplete" : end;
}
