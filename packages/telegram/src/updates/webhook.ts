import type { IncomingMessage, ServerResponse } from "node:http";
import { FullstopError } from "fullstop";
import { webhookCallback } from "grammy";
import type { Bot } from "grammy";
import type { BotLog } from "../operations/log.ts";

/** Refuses a secret token that Telegram would not take, or that would let everybody in. It is never quoted. */
export function checkSecretToken(secretToken: unknown): void {
  if (typeof secretToken === "string" && /^[\w-]{1,256}$/u.test(secretToken)) return;
  throw new FullstopError("invalid_argument", "secretToken must be 1 to 256 letters A to Z, digits, _ and -");
}

/** What the handler of a webhook needs to know. */
export interface WebhookParts {
  readonly secretToken: string;
  /** Whether updates are still taken. */
  readonly isOpen: () => boolean;
  readonly log: BotLog;
}

/** Makes a handler for a web server that takes updates, and turns away what is none or does not come from Telegram. */
export function createWebhookHandler(
  bot: Bot,
  { secretToken, isOpen, log }: WebhookParts,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const handle = webhookCallback(bot, "http", { secretToken });
  return async (request, response) => {
    if (!isOpen()) {
      response.writeHead(503).end();
      return;
    }
    try {
      await handle(request, response);
    } catch (error) {
      // A web server does not wait for its handlers: what they throw would end the process.
      log.warn({ err: error }, "a request to the webhook could not be handled");
      if (response.headersSent) response.end();
      else response.writeHead(400).end();
    }
  };
}
