import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../../bench/random.mjs";
import type { Piece } from "../plan/content.ts";
import { REFUSALS, mix } from "../plan/kinds.ts";
import { planGeneration } from "../plan/plan.ts";
import type { Plan } from "../plan/plan.ts";
import { breakBytes, refuse, withBadByte } from "./break.ts";
import { createWriter } from "./writer.ts";

/** One time that the provider was asked, as it was seen from there. */
export interface Exchange {
  readonly number: number;
  /** What was asked, in the provider's dialect. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether a stream was asked for. */
  readonly isStream: boolean;
  /** How many pieces were sent. */
  sent: number;
  /** Whether the fault of the plan has come to pass. */
  hasFailed: boolean;
  /** When the connection was done with, and whether all was said; undefined while it is not. */
  end: { readonly at: number; readonly how: "answered" | "gone" } | undefined;
}

/** A provider of all dialects, which answers by the plan that the name of the model stands for. */
export interface Provider {
  readonly url: string;
  /** The exchanges of a generation, in their order. */
  exchangesOf(number: number): readonly Exchange[];
  close(): Promise<void>;
}

/** Opens the provider. */
export async function openProvider(): Promise<Provider> {
  const exchanges = new Map<number, Exchange[]>();
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    const target = /\/models\/(?<model>[^:]+):(?<method>\w+)/u.exec(incoming.url ?? "")?.groups;
    const [, seed, number] = String(target?.["model"] ?? body["model"]).split("-");
    const plan = planGeneration(Number(seed), Number(number));
    const isStream = target === undefined ? body["stream"] === true : target["method"] === "streamGenerateContent";
    const exchange: Exchange = { number: plan.number, body, isStream, sent: 0, hasFailed: false, end: undefined };
    response.on("close", () => {
      exchange.end = { at: Date.now(), how: response.writableFinished ? "answered" : "gone" };
    });
    const known = exchanges.get(plan.number) ?? [];
    exchanges.set(plan.number, [...known, exchange]);
    // Whoever asks again, after thinking was skipped, wants an answer without any.
    const pieces = known.length === 0 ? plan.pieces : plan.pieces.filter(({ channel }) => channel !== "reasoning");
    await answer(known.length === 0 ? plan : { ...plan, pieces, fault: "none" }, exchange, response, isStream);
  };
  const server = createServer((incoming, response) => {
    // The other side may go away at any moment, which is what it is for.
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchangesOf: (number) => exchanges.get(number) ?? [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  let json = "";
  incoming.setEncoding("utf8");
  for await (const chunk of incoming) json += chunk as string;
  return JSON.parse(json) as Readonly<Record<string, unknown>>;
}

/** Carries the plan out. */
async function answer(plan: Plan, exchange: Exchange, response: ServerResponse, isStream: boolean): Promise<void> {
  const { fault } = plan;
  if (REFUSALS.has(fault)) {
    exchange.hasFailed = true;
    refuse(fault, response);
  } else if (isStream) {
    await answerInPieces(plan, exchange, response);
  } else {
    await answerWhole(plan, exchange, response);
  }
}

async function answerInPieces(plan: Plan, exchange: Exchange, response: ServerResponse): Promise<void> {
  const { fault, pieces } = plan;
  const writer = createWriter(plan);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  const breaks = breakBytes(plan, writer);
  const spoken = breaks === undefined ? pieces : pieces.slice(0, plan.faultAt);
  const random = createRandom(mix(plan.seed, plan.number, 0xd819));
  for (const [index, piece] of spoken.entries()) {
    const pause = plan.pauses[index] ?? 0;
    if (pause > 0) await sleep(pause);
    if (response.destroyed) return;
    const isBad = fault === "bad-utf8" && index === badPieceOf(pieces);
    const frames = fault === "finish-twice" ? writer.pieceWithFinish(piece) : writer.piece(piece);
    const bytes = isBad ? withBadByte(frames) : Buffer.from(frames);
    if (isBad || fault === "finish-twice" || fault === "drip" || fault === "repetition") exchange.hasFailed = true;
    exchange.sent += 1;
    if (fault === "drip") await drip(response, bytes, random);
    else if (!response.write(bytes)) await takenOrGone(response);
  }
  if (response.destroyed) return;
  if (breaks === undefined) {
    response.end(writer.finish());
    return;
  }
  exchange.hasFailed = true;
  breaks(response);
}

/** Fulfilled when the other side has taken what was written, or is gone. */
function takenOrGone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

async function answerWhole(plan: Plan, exchange: Exchange, response: ServerResponse): Promise<void> {
  const { fault, pieces, pauses } = plan;
  await sleep(pauses.reduce((sum, pause) => sum + pause, 0));
  if (response.destroyed) return;
  const body = JSON.stringify(createWriter(plan).whole(pieces));
  const bytes = fault === "bad-utf8" ? withBadByte(body) : Buffer.from(body);
  exchange.hasFailed = fault !== "none";
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  const half = bytes.subarray(0, Math.floor((bytes.length * plan.faultAt) / (pieces.length + 1)));
  if (fault === "cut" || fault === "close") response.write(half, () => response.destroy());
  else if (fault === "reset") response.write(half, () => response.socket?.resetAndDestroy());
  else if (fault === "stall") response.write(half);
  else if (fault === "garbage" || fault === "bad-json" || fault === "in-band")
    response.end(Buffer.alloc(bytes.length, "%"));
  else response.end(bytes);
  exchange.sent = pieces.length;
}

/** The piece that has a byte in it which is not UTF-8: the first of the text. */
export function badPieceOf(pieces: readonly Piece[]): number {
  return pieces.findIndex(({ channel }) => channel === "text");
}

async function drip(response: ServerResponse, bytes: Buffer, random: () => number): Promise<void> {
  for (let start = 0; start < bytes.length && !response.destroyed;) {
    const size = 1 + Math.floor(random() * 60);
    response.write(bytes.subarray(start, start + size));
    start += size;
    if (random() < 0.5) await turn();
  }
}
