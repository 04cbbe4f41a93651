import { GrammyError } from "grammy";

const CONFLICT = 409;

/** What to tell whoever runs a bot that can fetch no more updates. */
export function explainPollingError(error: unknown): unknown {
  if (!(error instanceof GrammyError) || error.error_code !== CONFLICT) return error;
  return new Error(
    `Another process fetches the updates of this bot, and Telegram gives them to one only. End one of the two, or have updates sent to several processes by a webhook. (${error.description})`,
    { cause: error },
  );
}
