import type { IncomingMessage, ServerResponse } from "node:http";
import { FullstopError } from "fullstop";
import { webhookCallback } from "grammy";
import type { Bot } from "grammy";
import type { Update } from "grammy/types";
import type { BotLog } from "../operations/log.ts";

/** Refuses a secret token that Telegram would not take, or that would let everybody in. It is never quoted. */
export function checkSecretToken(secretToken: unknown): void {
  if (typeof secretToken === "string" && /^[\w-]{1,256}$/u.test(secretToken)) return;
  throw new FullstopError("invalid_argument", "secretToken must be 1 to 256 letters A to Z, digits, _ and -");
}

/** The largest body that is read. Updates have some kilobytes: what people send besides text is not part of them. */
const MOST_BYTES = 1024 * 1024;

class TooLargeError extends Error {}

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
  const handle = webhookCallback(bot, adapt, { secretToken });
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
      else if (error instanceof TooLargeError) response.writeHead(413, { connection: "close" }).end();
      else response.writeHead(400).end();
    }
  };
}

/** What grammY wants to know of a request. It looks at the secret first; the body is read when it asks for it. */
function adapt(request: IncomingMessage, response: ServerResponse) {
  return {
    get update() {
      return readUpdate(request);
    },
    // No secret is empty.
    header: [request.headers["x-telegram-bot-api-secret-token"] ?? ""].flat()[0] ?? "",
    end: () => void response.end(),
    respond: (json: string) => void response.writeHead(200, { "content-type": "application/json" }).end(json),
    unauthorized: () => void response.writeHead(401).end(),
    handlerReturn: Promise.resolve(),
  };
}

/** Reads a body, but not without end. Whether it is an update is for those to find out who handle it. */
async function readUpdate(request: IncomingMessage): Promise<Update> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new TooLargeError(`The body is larger than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(Buffer.concat(chunks).toString()) as Update;
}
