import type { FastifyInstance, FastifyRequest } from "fastify";
import { openaiResponses } from "fullstop/wire";
import { findOwn, idOf } from "../generations/find-own.ts";
import type { LiveGeneration } from "../generations/live-generation.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { House } from "./answer.ts";

/** Adds what the Responses dialect has beside asking: looking at an answer again, and stopping it. */
export function addResponseRoutes(app: FastifyInstance, house: House): void {
  function find(request: FastifyRequest): LiveGeneration {
    const generation = findOwn(house, request);
    if (generation !== undefined) return generation;
    throw new RequestError("not_found", `There is no response ${quoteValue(idOf(request))}`);
  }

  app.get("/v1/responses/:id", (request) => describe(find(request)));

  app.post("/v1/responses/:id/cancel", (request) => cancel(find(request)));
}

async function cancel(generation: LiveGeneration): Promise<object> {
  generation.stop("user");
  await generation.ended;
  return describe(generation);
}

function describe({ id, model, startedAt, log, signal }: LiveGeneration): object {
  const created = Math.floor(startedAt / 1000);
  if (signal === undefined) {
    return { id, object: "response", created_at: created, status: "in_progress", model, output: [] };
  }
  return openaiResponses.encodeResponse(log.all(), { created }).body;
}
