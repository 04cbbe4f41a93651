import type { Clock } from "../clock.ts";
import type { Take } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import type { AnswerPipe } from "./answer-pipe.ts";
import { BodyReading } from "./body-reading.ts";
import type { Connection, Failure } from "./connection.ts";
import { mistakeSignal, redirectSignal, retryAfterOf } from "./failures.ts";
import { openBody } from "./fetch.ts";
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

/**
 * Sends a request and hands over what comes back, up to the finish: whatever one read of the network has brought, in
 * one list and in the same run. Only the network is waited for, and whoever takes it.
 */
export async function receive(exchange: Exchange, take: Take<readonly GenerationEvent[]>): Promise<void> {
  const { connection, pipe } = exchange;
  const reading = new BodyReading(exchange, take);
  connection.open();
  try {
    try {
      const body = await begin(exchange);
      if (body !== undefined) {
        const read = await connection.wait((watch) => reading.read(body, watch), "silenceMilliseconds");
        if ("failure" in read) pipe.breakOff(read.failure);
        else if (read.isWhole) pipe.end();
      }
    } catch (error) {
      pipe.fail(mistakeSignal(error));
    }
    reading.finish();
  } finally {
    connection.close();
    reading.leave();
  }
}

/** Sends the request and opens the pipe for the body of the answer. Where there is none the pipe has ended. */
async function begin(exchange: Exchange): Promise<Body | undefined> {
  const { clock, pipe } = exchange;
  const answered = await ask(exchange);
  if ("failure" in answered) {
    pipe.fail(answered.failure);
    return undefined;
  }
  const { status, type, headers } = answered.response;
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    pipe.fail(redirectSignal(status));
    return undefined;
  }
  pipe.open({ status, retryAfterMilliseconds: retryAfterOf(headers, clock.now()) });
  return answered.body;
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
