import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TerminationSignal } from "fullstop";
import type { House } from "../doors/answer.ts";
import { sendText } from "../doors/send-text.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import { findOwn, idOf } from "./find-own.ts";
import type { LiveGeneration } from "./live-generation.ts";
import { soFar, summarise } from "./summary.ts";
import type { GeneratedSoFar } from "./summary.ts";

/** What came of a stop. */
interface StopReceipt extends Partial<GeneratedSoFar> {
  readonly id: string;
  /** A generation that came to its own end before the stop took effect is `already_finished`, too. */
  readonly result: "stopped" | "already_finished" | "not_found" | "not_thinking";
  /** Which of several gateways has done it. */
  readonly replica: string;
  /** How it ended, once it has. */
  readonly signal?: TerminationSignal;
}

/** What came of a stop, whoever has done it. */
type Outcome = Omit<StopReceipt, "replica">;

/** How many characters are written for a reader before it has to take them: all of a long answer would be too much. */
const MOST_AT_ONCE = 65_536;

const MODES = ["stop", "skip-thinking", "finish-sentence"] as const;

interface StopOrder {
  readonly mode: (typeof MODES)[number];
  readonly reason: string;
}

/** Adds the addresses at which generations are seen and stopped, by their owners and by operators. */
export function addStopRoutes(app: FastifyInstance, house: House): void {
  const { gatekeeper, registry, replica } = house;

  function findOrRefuse(request: FastifyRequest): LiveGeneration {
    const generation = findOwn(house, request);
    if (generation === undefined)
      throw new RequestError("not_found", `There is no generation ${quoteValue(idOf(request))}`);
    return generation;
  }

  app.get("/v1/generations", (request) => {
    const visitor = gatekeeper.admit(request);
    const own = registry.live().filter(({ owner }) => visitor.isOperator || owner === visitor.name);
    return { generations: own.map(summarise) };
  });

  app.get("/v1/generations/:id", (request) => {
    const generation = findOrRefuse(request);
    return { ...summarise(generation), ...soFar(generation) };
  });

  app.post("/v1/generations/:id/stop", async (request, reply): Promise<StopReceipt> => {
    const order = readOrder(request.body);
    const generation = findOwn(house, request);
    if (generation !== undefined) return { ...(await carryOut(generation, order)), replica };
    reply.code(404);
    return { id: idOf(request), result: "not_found", replica };
  });

  app.get("/v1/generations/:id/events", (request, reply) => {
    const generation = findOrRefuse(request);
    const from = offsetOf(request);
    reply.hijack();
    return sendEvents(reply.raw, generation, from);
  });
}

/** Sends events from an offset on. The id of each is the offset at which a reader that has it goes on. */
async function sendEvents(response: ServerResponse, { log }: LiveGeneration, from: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  // The reader learns that it is connected, also where nothing has been generated yet.
  response.flushHeaders();
  let offset = from;
  for await (const batch of log.follow(from, false)) {
    let frames = "";
    for (const event of batch) {
      offset += 1;
      frames += `id: ${offset}\ndata: ${JSON.stringify(event)}\n\n`;
      if (frames.length < MOST_AT_ONCE) continue;
      if (!(await sendText(response, frames))) return;
      frames = "";
    }
    if (frames !== "" && !(await sendText(response, frames))) return;
  }
  response.end();
}

async function carryOut(generation: LiveGeneration, { mode, reason }: StopOrder): Promise<Outcome> {
  const { id, signal } = generation;
  if (signal !== undefined) return { id, result: "already_finished", signal, ...soFar(generation) };
  if (mode === "skip-thinking") {
    return { id, result: generation.skipThinking() ? "stopped" : "not_thinking", ...soFar(generation) };
  }
  if (mode === "finish-sentence") generation.stopAtSentenceEnd(reason);
  else generation.stop(reason);
  const end = await generation.ended;
  const result = end.reason === "cancelled" ? "stopped" : "already_finished";
  return { id, result, signal: end, ...soFar(generation) };
}

function readOrder(body: unknown): StopOrder {
  const given = typeof body === "object" && body !== null ? body : {};
  const mode = "mode" in given ? given.mode : "stop";
  const reason = "reason" in given ? given.reason : "user";
  const known = MODES.find((each) => each === mode);
  if (known === undefined) {
    throw new RequestError("invalid_request", `mode must be one of ${MODES.join(", ")}, got ${quoteValue(mode)}`);
  }
  if (typeof reason !== "string" || !/^[\w.-]{1,64}$/u.test(reason)) {
    const rule = "must be a word of at most 64 letters, digits, dots, dashes and underscores";
    throw new RequestError("invalid_request", `reason ${rule}, got ${quoteValue(reason)}`);
  }
  return { mode: known, reason };
}

/** Where a reader was: the id of the last event it has, or the number of events in `from`. */
function offsetOf({ headers, query }: FastifyRequest): number {
  const asked = typeof query === "object" && query !== null && "from" in query ? query.from : headers["last-event-id"];
  if (asked === undefined) return 0;
  const offset = Number(asked);
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new RequestError("invalid_request", `from must be a whole number of at least 0, got ${quoteValue(asked)}`);
  }
  return offset;
}
