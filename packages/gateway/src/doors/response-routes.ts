import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { GenerationEvent } from "fullstop";
import { openaiResponses } from "fullstop/wire";
import { askStore } from "../generations/ask-store.ts";
import { findOwn, idOf, stopperOf } from "../generations/find-own.ts";
import { isStored, keptEcho } from "../generations/record-labels.ts";
import { endStream, endedAtHead, keepConnected, whenClosed } from "../generations/send-events.ts";
import { stopGeneration } from "../generations/stop.ts";
import type { GenerationView } from "../generations/view.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { House } from "./answer.ts";
import { describeResponse } from "./background.ts";
import { asEvents } from "./framing.ts";
import { streamHead } from "./reply.ts";
import { sendText } from "./send-text.ts";
import { SIGN_OF_LIFE, sendSignsOfLife } from "./signs-of-life.ts";

/** Adds what the Responses dialect has beside asking: looking at an answer again, following, stopping, deleting it. */
export function addResponseRoutes(app: FastifyInstance, house: House): void {
  const { generations, operations } = house;

  async function find(request: FastifyRequest): Promise<GenerationView> {
    const generation = await findOwn(house, request);
    if (generation !== undefined && isStored(generation.labels)) return generation;
    throw new RequestError("not_found", `There is no response ${quoteValue(idOf(request))}`);
  }

  app.get("/v1/responses/:id", async (request, reply) => {
    const generation = await find(request);
    const { isStream, after } = readQuery(request.query);
    if (!isStream) return askStore(operations, describeResponse(generation));
    reply.hijack();
    await keepConnected(operations, reply.raw, sendRest(reply.raw, generation, after));
    return undefined;
  });

  app.post("/v1/responses/:id/cancel", async (request) => {
    const generation = await find(request);
    const reason = stopperOf(house, request, generation);
    await askStore(operations, stopGeneration(generations, generation, { mode: "stop", reason }));
    return askStore(operations, describeResponse(await find(request)));
  });

  app.delete("/v1/responses/:id", async (request) => {
    const { id, signal } = await find(request);
    if (signal === undefined) {
      throw new RequestError("invalid_request", `The response ${id} runs; cancel it first`, { status: 409 });
    }
    return { id, object: "response", deleted: await askStore(operations, generations.delete(id)) };
  });
}

/** Sends the events of a response after the one with a number, as they come. */
async function sendRest(response: ServerResponse, generation: GenerationView, after: number): Promise<void> {
  response.writeHead(200, streamHead(generation.id, asEvents()));
  if (endedAtHead(response)) return;
  response.flushHeaders();
  sendSignsOfLife(response, () => void response.write(SIGN_OF_LIFE));
  let number = -1;
  let frames = "";
  const sink = openaiResponses.encodeStream({
    created: Math.floor(generation.startedAt / 1000),
    echo: keptEcho(generation.labels),
  })({
    push: (frame) => {
      // All events are encoded again, so that they have the numbers that they had before.
      number += 1;
      if (number > after) frames += frame;
    },
    end: () => undefined,
  });
  let last: GenerationEvent | undefined;
  for await (const batch of generation.follow(0, whenClosed(response))) {
    for (const event of batch) sink.push(event);
    last = batch.at(-1);
    if (last?.type === "finish") sink.end();
    if (frames !== "" && !(await sendText(response, frames))) return;
    frames = "";
  }
  endStream(response, last);
}

function readQuery(query: unknown): { readonly isStream: boolean; readonly after: number } {
  const given = typeof query === "object" && query !== null ? query : {};
  const isStream = "stream" in given && given.stream === "true";
  if (!("starting_after" in given)) return { isStream, after: -1 };
  const { starting_after: after } = given;
  if (typeof after === "string" && /^\d{1,15}$/u.test(after)) return { isStream, after: Number(after) };
  throw new RequestError("invalid_request", `starting_after must be the number of an event, got ${quoteValue(after)}`);
}
