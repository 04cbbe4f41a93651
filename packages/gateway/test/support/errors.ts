import { AnthropicError } from "@anthropic-ai/sdk";
import { ApiError } from "@google/genai";
import { OpenAIError } from "openai";

/** An error as the official client of a dialect throws it. */
export interface ToldError {
  readonly isOfficial: boolean;
  readonly status: number | undefined;
  readonly message: string;
  readonly headers: Headers | undefined;
}

/** What an official client throws. A promise that is kept instead is an error of its own. */
export async function errorOf(promise: Promise<unknown>): Promise<ToldError> {
  let error: unknown;
  try {
    await promise;
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof Error)) throw new Error("nothing was thrown");
  const { status, headers } = error as { status?: number; headers?: Headers };
  const isOfficial = [AnthropicError, ApiError, OpenAIError].some((kind) => error instanceof kind);
  return { isOfficial, status, headers, message: error.message };
}
