import type { ApiError, ResponseParameters } from "grammy/types";

/** A call that the server does not carry out, in the words with which Telegram says so. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly answer: ApiError;

  constructor(code: number, description: string, parameters?: ResponseParameters) {
    super(description);
    this.answer = { ok: false, error_code: code, description, ...(parameters !== undefined && { parameters }) };
  }
}

/** A call that is wrong in itself: it will never be carried out as it is. */
export function badRequest(description: string): Refusal {
  return new Refusal(400, `Bad Request: ${description}`);
}

/** A call that comes too early. */
export function tooManyRequests(retryAfter: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
}
