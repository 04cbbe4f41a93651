import { checkCount, checkFlag, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import { CONTINUING_ACTIONS } from "./decision.ts";
import type { DecisionContext } from "./decision.ts";

const FIELDS = {
  answer: true,
  wasShown: true,
  attempts: true,
  hasOwnTokenLimit: true,
  isFullLength: true,
  isOnePiece: true,
  hasFallbackModel: true,
  conversation: true,
} as const satisfies Record<keyof DecisionContext, true>;

const ANSWER_FIELDS = {
  hasText: true,
  hasReasoning: true,
  completeCalls: true,
  cutCalls: true,
} as const satisfies Record<keyof DecisionContext["answer"], true>;

const CONVERSATION_FIELDS = {
  turns: true,
  messages: true,
  totalTokens: true,
} as const satisfies Record<keyof DecisionContext["conversation"], true>;

const ATTEMPT_FIELDS: Readonly<Record<string, true>> = Object.fromEntries(
  ["stop", ...CONTINUING_ACTIONS].map((action) => [action, true] as const),
);

/**
 * Refuses a context in which something is missing or no number. A bound is compared with these counts, and a
 * comparison with something that is no number holds or fails by accident.
 */
export function checkContext(context: DecisionContext): void {
  checkNames("context", context, FIELDS);
  const { answer, conversation, attempts } = context;
  checkNames("context answer", answer, ANSWER_FIELDS);
  checkNames("context conversation", conversation, CONVERSATION_FIELDS);
  checkNames("context attempts", attempts, ATTEMPT_FIELDS);
  for (const name of ["hasText", "hasReasoning"] as const) needFlag(`context answer ${name}`, answer[name]);
  for (const name of ["completeCalls", "cutCalls"] as const) needCount(`context answer ${name}`, answer[name]);
  for (const name of ["wasShown", "hasOwnTokenLimit", "hasFallbackModel"] as const) {
    needFlag(`context ${name}`, context[name]);
  }
  for (const name of ["isFullLength", "isOnePiece"] as const) checkFlag(`context ${name}`, context[name]);
  for (const name of ["turns", "messages", "totalTokens"] as const) {
    needCount(`context conversation ${name}`, conversation[name]);
  }
  for (const action of ["stop", ...CONTINUING_ACTIONS] as const) {
    checkCount(`context attempts ${action}`, attempts[action], 0);
  }
}

function needFlag(name: string, value: boolean | undefined): void {
  if (value === undefined) throw invalidArgument(name, "must be true or false", value);
  checkFlag(name, value);
}

function needCount(name: string, value: number | undefined): void {
  checkCount(name, value ?? Number.NaN, 0);
}
