// @ts-check
import { createTerminationSignal } from "fullstop";
import { createRunState } from "fullstop/agent";
import { POLICIES, decide } from "fullstop/decide";

/** How answers end: every reason, and the details that rules tell apart. */
const ENDINGS = /** @type {const} */ ([
  ["natural_completion"],
  ["stop_sequence"],
  ["token_limit_reached"],
  ["context_window_exceeded"],
  ["tool_calls"],
  ["content_filtered", "refusal"],
  ["paused", "pause_turn"],
  ["repetition_detected"],
  ["budget_exceeded", "cost"],
  ["cancelled", "user"],
  ["error_termination", "truncated"],
  ["error_termination", "overloaded"],
  ["error_termination", "invalid_request"],
  ["error_termination", "malformed_tool_call"],
  ["unknown"],
]);

const CONFIDENCES = /** @type {const} */ (["high", "medium", "low"]);

/** About as much as a page of an answer. */
const PARAGRAPH =
  "The tool has found what was asked for, and there is more to be said about it than fits here. ".repeat(15);

/** @type {import("fullstop").ToolCallPart} */
const CALL = { type: "tool-call", callId: "call_1", name: "search", json: '{"query":"stop sequences","limit":10}' };

/** What answers hold: text, a call, thinking, nothing. */
const CONTENTS = /** @type {const} */ ([
  [{ type: "text", text: PARAGRAPH }],
  [{ type: "text", text: "Let me look. " }, CALL],
  [{ type: "reasoning", text: PARAGRAPH }],
  [],
]);

/** What was tried before: nothing, or all there is. */
const ATTEMPTS = [{}, { run_tools: 12, continue: 3, increase_budget: 1, retry: 2, modify_prompt: 2 }];

/**
 * One decision to take.
 *
 * @typedef {object} DecisionCase
 * @property {import("fullstop").TerminationSignal} signal
 * @property {import("fullstop/decide").DecisionContext} context
 * @property {import("fullstop/decide").TerminationPolicy} policy
 * @property {typeof CONTENTS[number]} content
 */

/** @returns {readonly DecisionCase[]} Every ending by every confidence, content, history of attempts and preset. */
export function listDecisions() {
  return ENDINGS.flatMap(([reason, detail]) =>
    CONFIDENCES.flatMap((confidence) => {
      const words = { originalField: "finish_reason", originalValue: reason };
      const signal = createTerminationSignal({ reason, confidence, detail, ...words });
      return CONTENTS.flatMap((content) =>
        ATTEMPTS.flatMap((attempts) =>
          Object.values(POLICIES).map((policy) => ({
            signal,
            context: describe(content, attempts),
            policy,
            content,
          })),
        ),
      );
    }),
  );
}

/**
 * @param {typeof CONTENTS[number]} content
 * @param {import("fullstop/decide").DecisionContext["attempts"]} attempts
 * @returns {import("fullstop/decide").DecisionContext}
 */
function describe(content, attempts) {
  return {
    answer: {
      hasText: content.some(({ type }) => type === "text"),
      hasReasoning: content.some(({ type }) => type === "reasoning"),
      completeCalls: content.filter(({ type }) => type === "tool-call").length,
      cutCalls: 0,
    },
    wasShown: content.length > 0,
    attempts,
    hasOwnTokenLimit: false,
    hasFallbackModel: true,
    conversation: { turns: 20, messages: 50, totalTokens: 40_000 },
  };
}

/**
 * One step to take after a decision.
 *
 * @typedef {object} StepCase
 * @property {Parameters<typeof import("fullstop/agent").nextStep>[0]} state
 * @property {Parameters<typeof import("fullstop/agent").nextStep>[1]} answer
 * @property {import("fullstop/decide").TerminationDecision} decision
 */

/** @returns {readonly StepCase[]} The steps that follow from all those decisions, in a conversation of 50 messages. */
export function listSteps() {
  const messages = createHistory();
  return listDecisions().map(({ signal, context, policy, content }) => ({
    state: { ...createRunState(messages), attempts: context.attempts },
    answer: { content, cutCalls: [], usage: undefined, signal, wasShown: context.wasShown },
    decision: decide(signal, context, policy),
  }));
}

/**
 * A conversation of 50 messages: a question, then rounds of a call and its result, and now and then an answer.
 *
 * @returns {readonly import("fullstop").Message[]}
 */
export function createHistory() {
  /** @type {import("fullstop").Message[]} */
  const messages = [];
  for (let round = 0; messages.length < 50; round++) {
    if (round % 8 === 0) messages.push({ role: "user", content: [{ type: "text", text: `Question ${round}?` }] });
    const callId = `call_${round}`;
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look. " },
          { ...CALL, callId },
        ],
      },
      { role: "tool", callId, name: "search", content: [{ type: "text", text: PARAGRAPH }] },
    );
    if (round % 8 === 7) messages.push({ role: "assistant", content: [{ type: "text", text: PARAGRAPH }] });
  }
  return messages.slice(0, 50);
}

/**
 * The same after a run was broken off: one result is missing, one came late, and one call was cut.
 *
 * @returns {readonly import("fullstop").Message[]}
 */
export function createBrokenHistory() {
  const messages = [...createHistory()];
  const results = messages.flatMap(({ role }, index) => (role === "tool" ? [index] : []));
  const [missing = 0, late = 0] = [results[5], results[10]];
  const cut = { ...CALL, callId: "call_cut", json: '{"query":"sto' };
  const moved = messages.slice(late, late + 1);
  const kept = messages.filter((_, index) => index !== missing && index !== late);
  return [...kept, ...moved, { role: "assistant", content: [cut] }];
}
