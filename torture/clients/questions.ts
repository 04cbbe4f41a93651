import type { Dialect } from "../plan/kinds.ts";
import { modelOf } from "../plan/plan.ts";
import type { Plan } from "../plan/plan.ts";
import type { PlannedStop } from "../plan/rules.ts";

/** How many stop strings dialects take in a field of their own. */
const MOST_OF_DIALECT = 4;

/** A request as it is sent. */
export interface Question {
  readonly path: string;
  readonly body: object;
}

/** The stop strings that the dialect itself can say; the others go into the gateway's own object. */
export function stopsOfDialect({ door, rules: { stops } }: Plan): readonly string[] {
  if (door === "openai-responses") return [];
  return stops
    .filter(isPlain)
    .slice(0, MOST_OF_DIALECT)
    .map(({ text }) => text);
}

/** The gateway's own object. */
export function settingsOf(plan: Plan): Readonly<Record<string, unknown>> {
  const { stops, ignoresCase, maxCharacters, maxMilliseconds, repetition, onDisconnect } = plan.rules;
  const said = stopsOfDialect(plan);
  const own = stops.filter((stop) => !(isPlain(stop) && said.includes(stop.text)));
  return {
    ...(own.length > 0 && { stop: own.map((stop) => (isPlain(stop) ? stop.text : stop)) }),
    ...(ignoresCase && { caseInsensitive: true }),
    ...(maxCharacters !== undefined && { maxCharacters }),
    ...(maxMilliseconds !== undefined && { maxMilliseconds }),
    ...(repetition && { repetition }),
    onDisconnect,
  };
}

/** The request of a plan. */
export function questionOf(plan: Plan): Question {
  return QUESTIONS[plan.door](plan, stopsOfDialect(plan));
}

const isPlain = ({ scope, include }: PlannedStop): boolean => scope === "text" && !include;

const TURN = { role: "user", content: "Hi" };

const QUESTIONS: Readonly<Record<Dialect, (plan: Plan, stop: readonly string[]) => Question>> = {
  "openai-chat": (plan, stop) => ({
    path: "/v1/chat/completions",
    body: {
      model: modelOf(plan),
      messages: [TURN],
      ...(stop.length > 0 && { stop }),
      ...(plan.isStream && { stream: true, stream_options: { include_usage: true } }),
      fullstop: settingsOf(plan),
    },
  }),
  "openai-responses": (plan) => ({
    path: "/v1/responses",
    body: { model: modelOf(plan), input: "Hi", stream: plan.isStream, fullstop: settingsOf(plan) },
  }),
  "anthropic-messages": (plan, stop) => ({
    path: "/v1/messages",
    body: {
      model: modelOf(plan),
      max_tokens: 99_999,
      messages: [TURN],
      ...(stop.length > 0 && { stop_sequences: stop }),
      stream: plan.isStream,
      fullstop: settingsOf(plan),
    },
  }),
  gemini: (plan, stop) => ({
    path: `/v1beta/models/${modelOf(plan)}:${plan.isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      ...(stop.length > 0 && { generationConfig: { stopSequences: stop } }),
      fullstop: settingsOf(plan),
    },
  }),
};
