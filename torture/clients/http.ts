import { Agent, request as openRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { KEYS } from "../house.ts";
import type { Question } from "./questions.ts";

/** What a client that reads the bytes themselves has got. */
export interface Received {
  /** Undefined if there was none. */
  status: number | undefined;
  contentType: string;
  /** The generation that it is of, if that was said. */
  id: string | undefined;
  /** The bytes, and when they came. */
  readonly chunks: { readonly at: number; readonly bytes: Buffer }[];
  /** How it ended: all came, the connection broke, or the client itself has left. */
  over: "ended" | "broken" | "left" | undefined;
}

/** An answer that is being read. */
export interface Reading {
  readonly received: Received;
  /** Fulfilled when the head has come, or nothing can come any more. */
  readonly head: Promise<void>;
  /** Fulfilled when it is over. */
  readonly done: Promise<void>;
  leave(): void;
}

/** How slowly a slow reader reads: it takes a little, and then nothing for a while. */
const SLOW = { pauses: 6, milliseconds: 120 } as const;

/** Asks a question over a connection of its own, and reads the answer. */
export function ask(url: string, { path, body }: Question, isSlow: boolean): Reading {
  const received: Received = { status: undefined, contentType: "", id: undefined, chunks: [], over: undefined };
  const asked = openRequest(`${url}${path}`, { method: "POST", agent: false, headers: headersFor("alice") });
  let isGone = false;
  const head = new Promise<IncomingMessage | undefined>((resolve) => {
    asked.on("response", resolve);
    asked.on("error", () => resolve(undefined));
    asked.on("close", () => resolve(undefined));
  });
  const read = async (): Promise<void> => {
    const response = await head;
    if (response !== undefined) {
      const { statusCode, headers } = response;
      received.status = statusCode;
      received.contentType = headers["content-type"] ?? "";
      received.id = oneOf(headers["x-fullstop-generation-id"]);
      const isWhole = await readAll(response, received, isSlow);
      received.over = isWhole ? "ended" : "broken";
    }
    if (isGone) received.over = "left";
    received.over ??= "broken";
  };
  const done = read();
  asked.end(JSON.stringify(body));
  return {
    received,
    head: head.then(() => undefined),
    done,
    leave() {
      isGone = true;
      asked.destroy();
    },
  };
}

async function readAll(response: IncomingMessage, { chunks }: Received, isSlow: boolean): Promise<boolean> {
  let pausesLeft = isSlow ? SLOW.pauses : 0;
  try {
    for await (const bytes of response as AsyncIterable<Buffer>) {
      chunks.push({ at: Date.now(), bytes });
      if (pausesLeft > 0) {
        pausesLeft -= 1;
        await sleep(SLOW.milliseconds);
      }
    }
    return response.complete;
  } catch {
    // It broke, which is for the checker to judge.
    return false;
  }
}

/** For everything but answers, which have connections of their own. */
const agent = new Agent({ keepAlive: true });

/** What came back for a small request; undefined if the connection broke. */
export type Reply = { readonly status: number; readonly text: string } | undefined;

/** Sends a small request. */
export function send(url: string, method: "GET" | "POST", who: keyof typeof KEYS, body?: object): Promise<Reply> {
  return new Promise((resolve) => {
    const broken = (): void => resolve(undefined);
    const asked = openRequest(url, { method, agent, headers: headersFor(who) }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        if (!response.complete) broken();
        else resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
      response.on("error", broken);
    });
    asked.on("error", broken);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Closes the connections that are kept for the next request. */
export function closeConnections(): void {
  agent.destroy();
}

function headersFor(who: keyof typeof KEYS): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${KEYS[who]}`, "content-type": "application/json" };
}

function oneOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
