import { describe, expect, it } from "vitest";
import { CONTINUING_ACTIONS, POLICIES, decide } from "../../src/decide/index.ts";
import type { DecisionContext, SuggestedAction, TerminationDecision } from "../../src/decide/index.ts";
import { createTerminationSignal } from "../../src/termination.ts";
import type { Confidence, TerminationReason } from "../../src/termination.ts";
import type { ErrorKind } from "../../src/wire/error-kinds.ts";
import { listFinishWords } from "../../src/wire/reading/finish-words.ts";
import { contextOf } from "./contexts.ts";

/** What may have come of an answer, one a column of the table. */
const ANSWERS = {
  nothing: {},
  thinking: { hasReasoning: true },
  text: { hasText: true },
  whole: { completeCalls: 2 },
  cut: { cutCalls: 1 },
  "text+whole": { hasText: true, completeCalls: 1 },
  "text+cut": { hasText: true, hasReasoning: true, cutCalls: 1 },
} as const satisfies Record<string, Partial<DecisionContext["answer"]>>;

/** What may differ beside the answer. A row names the one it is for; without a name it is for both. */
const FLAGS = {
  own: { hasOwnTokenLimit: true },
  shown: { wasShown: true },
  fallback: { hasFallbackModel: true },
  raised: { attempts: { increase_budget: 1 } },
  piece: { isOnePiece: true },
  full: { isFullLength: true },
} as const satisfies Record<string, Partial<DecisionContext>>;

/**
 * The decisions, written down by hand. A reason may carry a detail, or the name of a group of details. The second
 * column holds the confidences, the third the flags that have to be set or (with !) must not be.
 */
const TABLE = `
reason                                  | sure | if           | nothing         | thinking        | text            | whole         | cut           | text+whole | text+cut
natural_completion                      | hm   |              | modify_prompt   | modify_prompt   | stop            | run_tools     | run_tools     | run_tools  | run_tools
natural_completion possible_stop_sequence | hm |              | modify_prompt   | modify_prompt   | stop            | run_tools     | run_tools     | run_tools  | run_tools
natural_completion no_generation        | hm   |              | stop            | stop            | stop            | run_tools     | run_tools     | run_tools  | run_tools
stop_sequence                           | hm   |              | stop            | stop            | stop            | run_tools     | stop          | run_tools  | stop
tool_calls                              | hm   |              | modify_prompt   | modify_prompt   | modify_prompt   | run_tools     | run_tools     | run_tools  | run_tools
tool_calls incomplete_arguments         | hm   |              | modify_prompt   | modify_prompt   | modify_prompt   | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached                     | hm   | !own !raised !full | increase_budget | increase_budget | increase_budget | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached                     | hm   | !own !raised full | increase_budget | increase_budget | stop            | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached                     | hm   | !own raised !piece !full | stop            | stop            | continue        | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached                     | hm   | !own raised !piece full | stop            | stop            | stop            | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached                     | hm   | !own raised piece | stop            | stop            | stop            | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached                     | hm   | own !piece !full | stop            | stop            | continue        | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached                     | hm   | own !piece full | stop            | stop            | stop            | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached                     | hm   | own piece    | stop            | stop            | stop            | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached reasoning_tokens    | hm   | !piece !full | stop            | stop            | continue        | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached reasoning_tokens    | hm   | !piece full  | stop            | stop            | stop            | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached reasoning_tokens    | hm   | piece        | stop            | stop            | stop            | run_tools     | run_tools     | run_tools  | run_tools
token_limit_reached characters          | hm   |              | stop            | stop            | stop            | run_tools     | run_tools     | run_tools  | run_tools
context_window_exceeded                 | hm   |              | stop            | stop            | stop            | stop          | stop          | stop       | stop
content_filtered                        | hml  | fallback     | switch_model    | switch_model    | switch_model    | switch_model  | switch_model  | switch_model | switch_model
content_filtered                        | hml  | !fallback    | stop            | stop            | stop            | stop          | stop          | stop       | stop
content_filtered refusal                | hml  | fallback     | switch_model    | switch_model    | switch_model    | switch_model  | switch_model  | switch_model | switch_model
content_filtered refusal                | hml  | !fallback    | stop            | stop            | stop            | stop          | stop          | stop       | stop
paused                                  | hm   |              | resume          | resume          | resume          | run_tools     | resume        | run_tools  | resume
paused compaction                       | hm   |              | resume          | resume          | resume          | run_tools     | resume        | run_tools  | resume
repetition_detected                     | hm   |              | stop            | stop            | stop            | stop          | stop          | stop       | stop
budget_exceeded                         | hml  |              | stop            | stop            | stop            | stop          | stop          | stop       | stop
cancelled                               | hml  |              | stop            | stop            | stop            | stop          | stop          | stop       | stop
error_termination MALFORMED             | hm   |              | modify_prompt   | modify_prompt   | modify_prompt   | modify_prompt | modify_prompt | modify_prompt | modify_prompt
error_termination INTERRUPTED           | hm   | !shown       | retry           | retry           | retry           | retry         | retry         | retry      | retry
error_termination INTERRUPTED           | hm   | shown !piece | retry           | retry           | continue        | retry         | retry         | continue   | continue
error_termination INTERRUPTED           | hm   | shown piece  | retry           | retry           | retry           | retry         | retry         | retry      | retry   
error_termination FINAL                 | hm   |              | stop            | stop            | stop            | stop          | stop          | stop       | stop
error_termination                       | hm   | !shown       | retry           | retry           | retry           | retry         | retry         | retry      | retry
error_termination                       | hm   | shown        | stop            | stop            | stop            | stop          | stop          | stop       | stop
error_termination a_new_kind            | hm   | !shown       | retry           | retry           | retry           | retry         | retry         | retry      | retry
error_termination a_new_kind            | hm   | shown        | stop            | stop            | stop            | stop          | stop          | stop       | stop
unknown                                 | hml  |              | modify_prompt   | modify_prompt   | stop            | run_tools     | modify_prompt | run_tools  | stop
DOUBTFUL                                | l    |              | modify_prompt   | modify_prompt   | stop            | run_tools     | modify_prompt | run_tools  | stop
`;

const ERROR_GROUPS: Readonly<Record<string, readonly string[]>> = {
  MALFORMED: ["malformed_tool_call", "incomplete_arguments", "unexpected_tool_call", "malformed_output"],
  INTERRUPTED: [
    "truncated",
    "network_error",
    "timeout",
    "overloaded",
    "rate_limited",
    "server_error",
    "exception",
    "provider_error",
    "malformed_event",
    "unreadable_event",
  ],
  FINAL: [
    "invalid_request",
    "authentication",
    "permission",
    "quota",
    "not_found",
    "context_window",
    "not_an_answer",
    "event_too_large",
    "cancelled",
    "tool_loop_limit",
  ],
};

/** Endings that a low confidence leaves to what the answer holds. */
const DOUBTFUL: readonly string[] = [
  "natural_completion",
  "natural_completion possible_stop_sequence",
  "natural_completion no_generation",
  "stop_sequence",
  "tool_calls",
  "tool_calls incomplete_arguments",
  "token_limit_reached",
  "token_limit_reached reasoning_tokens",
  "token_limit_reached characters",
  "context_window_exceeded",
  "paused",
  "paused compaction",
  "repetition_detected",
  "error_termination",
  "error_termination a_new_kind",
  ...Object.values(ERROR_GROUPS).flatMap((details) => details.map((detail) => `error_termination ${detail}`)),
];

const CONFIDENCES: Readonly<Record<string, Confidence>> = { h: "high", m: "medium", l: "low" };

interface Row {
  readonly endings: readonly string[];
  readonly confidences: readonly Confidence[];
  readonly flags: readonly string[];
  readonly actions: Readonly<Record<string, string>>;
}

function readTable(): readonly Row[] {
  const [head, ...lines] = TABLE.trim().split("\n");
  const names = head!.split("|").map((cell) => cell.trim());
  return lines.map((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const [reason = "", group = ""] = cells[0]!.split(" ");
    const details = ERROR_GROUPS[group] ?? [group];
    const endings = reason === "DOUBTFUL" ? DOUBTFUL : details.map((detail) => `${reason} ${detail}`.trim());
    return {
      endings,
      confidences: [...cells[1]!].map((letter) => CONFIDENCES[letter]!),
      flags: cells[2]!.split(" ").filter((flag) => flag !== ""),
      actions: Object.fromEntries(cells.slice(3).map((cell, index) => [names[index + 3]!, cell])),
    };
  });
}

const ROWS = readTable();
const ENDINGS = [...new Set(ROWS.flatMap(({ endings }) => endings))];

interface Case {
  readonly ending: string;
  readonly confidence: Confidence;
  readonly answer: keyof typeof ANSWERS;
  readonly flags: readonly string[];
}

/** Every combination of an ending, a confidence, an answer and flags. */
function everyCase(): readonly Case[] {
  const names = Object.keys(FLAGS);
  const flagSets = Array.from({ length: 2 ** names.length }, (_, set) =>
    names.filter((_name, bit) => (set >> bit) & 1),
  );
  const answers = Object.keys(ANSWERS) as (keyof typeof ANSWERS)[];
  return ENDINGS.flatMap((ending) =>
    Object.values(CONFIDENCES).flatMap((confidence) =>
      answers.flatMap((answer) => flagSets.map((flags) => ({ ending, confidence, answer, flags }))),
    ),
  );
}

function rowsFor({ ending, confidence, flags }: Case): readonly Row[] {
  return ROWS.filter(
    (row) =>
      row.endings.includes(ending) &&
      row.confidences.includes(confidence) &&
      row.flags.every((flag) => (flag.startsWith("!") ? !flags.includes(flag.slice(1)) : flags.includes(flag))),
  );
}

function signalOf({ ending, confidence }: Case) {
  const [reason, detail] = ending.split(" ");
  return createTerminationSignal({
    reason: reason as TerminationReason,
    detail,
    confidence,
    originalField: "finish_reason",
    originalValue: "x",
  });
}

function contextFor({ answer, flags }: Case): DecisionContext {
  const context = contextOf({ answer: ANSWERS[answer] });
  return flags.reduce((before, flag) => Object.assign(before, FLAGS[flag as keyof typeof FLAGS]), context);
}

const CASES = everyCase();
const expectedFor = (situation: Case): string | undefined => rowsFor(situation)[0]?.actions[situation.answer];

/** The situations in which a decision is not what it should be, with what it is instead. */
function mismatches(
  decideFor: (situation: Case) => TerminationDecision,
  expected: (situation: Case) => string | undefined = expectedFor,
): readonly unknown[] {
  return CASES.map((situation) => ({ situation, ...decideFor(situation), expected: expected(situation) })).filter(
    (found) => found.suggestedAction !== found.expected || found.shouldContinue !== (found.expected !== "stop"),
  );
}

describe("the decision table", () => {
  it("has a row for every reason", () => {
    const reasons = new Set(ENDINGS.map((ending) => ending.split(" ")[0]!));
    const known: Record<TerminationReason, true> = {
      natural_completion: true,
      stop_sequence: true,
      token_limit_reached: true,
      context_window_exceeded: true,
      tool_calls: true,
      content_filtered: true,
      paused: true,
      repetition_detected: true,
      budget_exceeded: true,
      cancelled: true,
      error_termination: true,
      unknown: true,
    };
    expect([...reasons].sort()).toEqual(Object.keys(known).sort());
  });

  it("has exactly one row for every situation", () => {
    expect(CASES.filter((situation) => rowsFor(situation).length !== 1)).toEqual([]);
  });

  it.each(["chat", "agent"] as const)("is what the policy %s decides", (name) => {
    expect(mismatches((situation) => decide(signalOf(situation), contextFor(situation), POLICIES[name]))).toEqual([]);
  });

  it("is what the policy batch decides, without nudges and other models", () => {
    const isForbidden = (action: string | undefined): boolean =>
      action === "modify_prompt" || action === "switch_model";
    expect(
      mismatches(
        (situation) => decide(signalOf(situation), contextFor(situation), POLICIES.batch),
        (situation) => (isForbidden(expectedFor(situation)) ? "stop" : expectedFor(situation)),
      ),
    ).toEqual([]);
  });

  it("is what is decided without a policy", () => {
    expect(mismatches((situation) => decide(signalOf(situation), contextFor(situation)))).toEqual([]);
  });

  it("turns every action into a stop when all bounds are reached, saying what was wanted", () => {
    for (const situation of CASES) {
      const context = contextFor({ ...situation, flags: [...situation.flags, "raised"] });
      const { suggestedAction: wanted } = decide(signalOf(situation), context);
      const { suggestedAction, metadata } = decide(signalOf(situation), {
        ...context,
        attempts: POLICIES.agent.bounds,
      });
      if (suggestedAction !== "stop" || (wanted !== "stop" && metadata["wanted"] !== wanted)) {
        expect.fail(`${JSON.stringify(situation)}: ${suggestedAction}, ${JSON.stringify(metadata)}`);
      }
    }
  });

  it.each(CONTINUING_ACTIONS)("takes %s as often as its bound says and no more", (action) => {
    const situations = CASES.filter((situation) => expectedFor(situation) === action);
    expect(situations.length).toBeGreaterThan(0);
    for (const situation of situations) {
      const context = contextFor(situation);
      const after = (count: number): SuggestedAction => {
        const attempts = { ...context.attempts, [action]: count };
        return decide(signalOf(situation), { ...context, attempts }).suggestedAction;
      };
      const isOfNoKnownKind = action === "retry" && /^error_termination( a_new_kind)?$/u.test(situation.ending);
      const most = isOfNoKnownKind ? 1 : POLICIES.agent.bounds[action];
      // Where the limit was raised already, a text that may come in pieces is continued instead; for all else the bound is the end.
      const isText = action === "increase_budget" && situation.answer === "text" && !situation.flags.includes("piece");
      expect([after(most - 1), after(most)]).toEqual([action, isText ? "continue" : "stop"]);
    }
  });

  it("says that an answer in progress is still being written, whatever else is known", () => {
    const rules = CASES.map((situation) => {
      const { reason, metadata } = decide({ ...signalOf(situation), shouldTerminate: false }, contextFor(situation));
      return `${String(metadata["rule"])}: ${reason}`;
    });
    expect([...new Set(rules)]).toEqual(["in_progress: The answer is still being written"]);
  });
});

describe("what the readers of answers report", () => {
  it("has a rule for every detail of an error that a finish value can carry", () => {
    const errors = listFinishWords().filter(([, { reason }]) => reason === "error_termination");
    const endings = errors.flatMap(([, { detail }]) => (detail === undefined ? [] : [`error_termination ${detail}`]));
    expect(endings.length).toBeGreaterThan(0);
    expect(endings.filter((ending) => !ENDINGS.includes(ending))).toEqual([]);
  });

  const ERROR_KINDS: Readonly<Record<ErrorKind, SuggestedAction>> = {
    quota: "stop",
    rate_limited: "retry",
    overloaded: "retry",
    authentication: "stop",
    permission: "stop",
    context_window: "stop",
    timeout: "retry",
    not_found: "stop",
    cancelled: "stop",
    invalid_request: "stop",
    server_error: "retry",
  };

  it.each(Object.entries(ERROR_KINDS))("an error of the kind %s leads to %s", (detail, action) => {
    const signal = createTerminationSignal({
      reason: "error_termination",
      detail,
      originalField: "error",
      originalValue: "",
    });
    expect(decide(signal, contextOf()).suggestedAction).toBe(action);
  });
});
