import { GrammyError, HttpError } from "grammy";
import { showAddress } from "./operations/hide-secrets.ts";
import type { Hide } from "./operations/hide-secrets.ts";

/** Telegram cannot be asked anything. */
export class TelegramUnreachableError extends Error {
  constructor(apiRoot = "https://api.telegram.org") {
    super(`Telegram cannot be reached at ${showAddress(apiRoot)}`);
    this.name = "TelegramUnreachableError";
  }
}

/** Telegram does not do what it was asked for; the message says what it says. */
export class TelegramRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TelegramRefusedError";
  }
}

const CONFLICT = 409;

/**
 * What whoever runs a bot is told of a call that has failed. Errors of grammY are not passed on: they carry the whole
 * call, and with it the bot's token or the secret of its webhook. `hide` takes those out of what Telegram says.
 */
export function explainFailure(error: unknown, apiRoot: string | undefined, hide: Hide): unknown {
  if (error instanceof HttpError) return new TelegramUnreachableError(apiRoot);
  if (!(error instanceof GrammyError)) return error;
  const { error_code: code, description, method } = error;
  const problem =
    code === CONFLICT
      ? "Another process fetches the updates of this bot, and Telegram gives them to one only. End one of the two, or have updates sent to several processes by a webhook."
      : `Telegram does not do ${method}.`;
  return new TelegramRefusedError(`${problem} It says ${JSON.stringify(hide(description))}`);
}
