import type { Dialect } from "./dialects.ts";

/** What ends an answer in the stream of each dialect. */
const ENDINGS: Readonly<Record<Dialect, RegExp>> = {
  "openai-chat": /^data: \{(?:"error":|.*"finish_reason":")/u,
  "openai-responses": /^event: (?:response\.(?:completed|incomplete|failed)|error)$/u,
  "anthropic-messages": /^event: (?:message_stop|error)$/u,
  gemini: /^data: \{(?:"error":|.*"finishReason":")/u,
};

/** What only an answer that has failed has. */
const ERRORS: Readonly<Record<Dialect, RegExp>> = {
  "openai-chat": /^data: \{"error":/mu,
  "openai-responses": /^event: response\.failed$/mu,
  "anthropic-messages": /^event: error$/mu,
  gemini: /^data: \{(?:"error":|.*"finishReason":"MALFORMED)/mu,
};

/** How an answer ended, as it came over the wire. */
export interface Ending {
  /** How often it ended. */
  readonly count: number;
  /** Whether it said that it has failed. */
  readonly isError: boolean;
}

/** Looks for the ends of an answer in all that has come. */
export function endingOf(dialect: Dialect, status: number, contentType: string, body: string): Ending {
  if (!contentType.startsWith("text/event-stream")) {
    const json = JSON.parse(body) as { error?: unknown };
    return { count: 1, isError: status >= 400 || (json.error ?? null) !== null };
  }
  const count = body.split("\n").filter((line) => ENDINGS[dialect].test(line)).length;
  return { count, isError: ERRORS[dialect].test(body) };
}
