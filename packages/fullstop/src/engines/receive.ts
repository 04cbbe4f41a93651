import type { Clock } from "../clock.ts";
import type { GenerationEvent } from "../events.ts";
import type { AnswerPipe } from "./answer-pipe.ts";
import type { Connection, Failure } from "./connection.ts";
import { mistakeSignal, redirectSignal, retryAfterOf } from "./failures.ts";
import { NO_BODY, openBody } from "./fetch.ts";
import type { Body, Fetch, FetchAnswer } from "./fetch.ts";
import type { ProviderHeaders } from "./routes.ts";

/** What has to be known to send a request. */
export interface Call {
  readonly url: string;
  readonly headers: ProviderHeaders;
  readonly body: string;
}

/** One exchange with a server. */
export interface Exchange {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** Works out what to send. */
  readonly prepare: () => Promise<Call>;
  /** Where the bytes of the answer become events. */
  readonly pipe: AnswerPipe;
}

/** How long and how much to read on after the end of an answer. */
const DRAIN_MILLISECONDS = 1_000;
const DRAIN_BYTES = 65_536;

/**
 * Sends a request and gives what comes back, up to the finish: whatever one read of the network has brought, in one
 * list. Only the network is waited for. Leaving early closes the connection.
 */
export async function* receive(exchange: Exchange): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
  const { connection, clock, pipe } = exchange;
  let body = NO_BODY;
  let isOver = false;
  connection.open();
  try {
    try {
      const answered = await ask(exchange);
      if ("failure" in answered) pipe.fail(answered.failure);
      else {
        const { status, type, headers } = answered.response;
        body = answered.body;
        const isElsewhere = type === "opaqueredirect" || (status >= 300 && status < 400);
        if (isElsewhere) pipe.fail(redirectSignal(status));
        else pipe.open({ status, retryAfterMilliseconds: retryAfterOf(headers, clock.now()) });
      }
      while (!pipe.isFinished) {
        const read = await connection.wait(body.next, "silenceMilliseconds");
        isOver = "failure" in read || read.done === true;
        if ("failure" in read) pipe.fail(read.failure);
        else if (read.done === true) pipe.end();
        else pipe.push(read.value);
        const events = pipe.take();
        if (events.length > 0) yield events;
      }
    } catch (error) {
      pipe.fail(mistakeSignal(error));
    }
    const rest = pipe.take();
    if (rest.length > 0) yield rest;
  } finally {
    connection.close();
    if (pipe.isAnswered && !isOver) drain(body, exchange);
    else if (!isOver) connection.giveUp();
  }
}

/** An answer that has begun. */
interface Answered {
  readonly response: FetchAnswer;
  readonly body: Body;
}

/** Sends the request, as soon as it is known what to send, and waits for the answer to begin. */
async function ask({ connection, fetch, prepare }: Exchange): Promise<Answered | Failure> {
  const call = await connection.wait(() => prepare().catch((error: unknown) => ({ failure: mistakeSignal(error) })));
  if ("failure" in call) return call;
  const { url, headers, body } = call;
  // A redirect is not followed: browsers and servers alike would send the key along in headers of its own.
  const init = { method: "POST", headers, body, redirect: "manual", signal: connection.socket } as const;
  const send = async (): Promise<Answered> => {
    const response = await fetch(url, init);
    // An answer that comes when nobody waits for it any more is closed by this.
    return { response, body: openBody(response.body, connection.socket) };
  };
  return connection.wait(send, "firstByteMilliseconds");
}

/**
 * Reads what little follows the end of an answer, so that the connection can serve the next request; closing it here
 * would cost every request a new one.
 */
function drain(body: Body, { connection, clock }: Exchange): void {
  const stop = clock.after(DRAIN_MILLISECONDS, () => connection.giveUp());
  const readOn = async (): Promise<void> => {
    for (let left = DRAIN_BYTES; left > 0;) {
      const read = await body.next();
      if (read.done === true) return;
      left -= read.value.byteLength;
    }
    connection.giveUp();
  };
  // The answer was whole before this, so that a failure here is nobody's.
  readOn()
    .catch(() => undefined)
    .finally(stop);
}
