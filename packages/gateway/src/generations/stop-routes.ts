import type { FastifyInstance, FastifyRequest } from "fastify";
import { STOP_MODES } from "fullstop/control";
import type { StopOrder } from "fullstop/control";
import type { House } from "../doors/answer.ts";
import { readKnown } from "../known-fields.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import { LIST_PATIENCE, askStore } from "./ask-store.ts";
import { findOwn, idOf, stopperOf } from "./find-own.ts";
import { PAGE_PARAMETERS, readHistory, readHistoryQuery } from "./history.ts";
import { keepConnected, sendEvents } from "./send-events.ts";
import { stopGeneration } from "./stop.ts";
import type { StopReceipt } from "./stop.ts";
import { soFar, summarise, summariseForOperators } from "./summary.ts";
import type { GenerationView } from "./view.ts";

/** How long the words may be in which somebody says why they stop a generation. */
const LONGEST_REASON = 200;

/** An order as it came, which need not say why. */
type GivenOrder = Pick<StopOrder, "mode"> & Partial<StopOrder>;

/** Adds the addresses at which generations are seen, stopped and forgotten, by their owners and by operators. */
export function addStopRoutes(app: FastifyInstance, house: House): void {
  const { gatekeeper, generations, operations } = house;

  async function findOrRefuse(request: FastifyRequest): Promise<GenerationView> {
    const generation = await findOwn(house, request);
    if (generation !== undefined) return generation;
    throw new RequestError("not_found", `There is no generation ${quoteValue(idOf(request))}`);
  }

  app.get("/v1/generations", async (request) => {
    const { isOperator, name } = gatekeeper.admit(request);
    const owner = isOperator ? undefined : name;
    if (stateOf(request) === "ended") {
      return askStore(operations, readHistory(generations.store, owner, readHistoryQuery(request.query)));
    }
    const tell = isOperator ? summariseForOperators : summarise;
    try {
      return { generations: (await generations.running(owner, LIST_PATIENCE)).map(tell) };
    } catch (error) {
      operations.reportStoreFailure(error);
      // Better than nothing for whoever wants to stop them, but they have to know that there may be others.
      return { generations: generations.runningHere(owner).map(tell), isPartial: true };
    }
  });

  app.get("/v1/generations/:id", async (request) => {
    const generation = await findOrRefuse(request);
    return { ...summarise(generation), ...soFar(await askStore(operations, generation.read())) };
  });

  app.delete("/v1/generations/:id", async (request) => {
    const { id, signal } = await findOrRefuse(request);
    if (signal === undefined) {
      throw new RequestError("invalid_request", `The generation ${id} runs; stop it first`, { status: 409 });
    }
    return { id, deleted: await askStore(operations, generations.delete(id)) };
  });

  app.post("/v1/generations/:id/stop", async (request, reply): Promise<StopReceipt> => {
    const order = readOrder(request.body);
    const generation = await findOwn(house, request);
    if (generation === undefined) {
      reply.code(404);
      return { id: idOf(request), result: "not_found", replica: generations.replica };
    }
    const reason = stopperOf(house, request, generation);
    const receipt = await askStore(operations, stopGeneration(generations, generation, { reason, ...order }));
    if (receipt.result === "unreachable") reply.code(503);
    if (receipt.result === "not_found") reply.code(404);
    return receipt;
  });

  app.get("/v1/generations/:id/events", async (request, reply) => {
    const generation = await findOrRefuse(request);
    const { from, wantsHeld } = readPlace(request);
    // The one answer at which a browser's EventSource does not ask again for what follows the last event.
    if (generation.signal !== undefined && from >= generation.events) return reply.code(204).send();
    reply.hijack();
    await keepConnected(operations, reply.raw, sendEvents(reply.raw, generation, { from, wantsHeld }));
    return undefined;
  });
}

/** Which generations are asked for. */
function stateOf({ query }: FastifyRequest): "running" | "ended" {
  const { state = "running" } = readKnown("The list of generations", query, ["state", ...PAGE_PARAMETERS]);
  if (state === "running") readKnown("The list of those that run", query, ["state"]);
  if (state === "running" || state === "ended") return state;
  throw new RequestError("invalid_request", `state must be "running" or "ended", got ${quoteValue(state)}`);
}

function readOrder(body: unknown): GivenOrder {
  const { mode = "stop", reason } = readKnown("A stop", body, ["mode", "reason"]);
  const known = STOP_MODES.find((each) => each === mode);
  if (known === undefined) {
    throw new RequestError("invalid_request", `mode must be one of ${STOP_MODES.join(", ")}, got ${quoteValue(mode)}`);
  }
  if (reason === undefined) return { mode: known };
  if (typeof reason !== "string" || reason.length > LONGEST_REASON) {
    const rule = `must be a text of at most ${LONGEST_REASON} characters`;
    throw new RequestError("invalid_request", `reason ${rule}, got ${quoteValue(reason)}`);
  }
  // A stop does not fail for its label: one that says nothing is none.
  return reason.trim() === "" ? { mode: known } : { mode: known, reason };
}

/**
 * Where a reader was, as the id of the last event it has or the number of events, and what it wants beside events. The id
 * counts more: a browser whose connection broke asks the same address again, with where it has begun, and adds the id.
 */
function readPlace({ headers, query }: FastifyRequest): { readonly from: number; readonly wantsHeld: boolean } {
  const { from, held = "false" } = readKnown("Following events", query, ["from", "held"]);
  const last = headers["last-event-id"] ?? "";
  const [name, asked] = last === "" ? ["from", from ?? "0"] : ["Last-Event-ID", last];
  const offset = Number(asked);
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new RequestError("invalid_request", `${name} must be a whole number of at least 0, got ${quoteValue(asked)}`);
  }
  if (held !== "true" && held !== "false") {
    throw new RequestError("invalid_request", `held must be true or false, got ${quoteValue(held)}`);
  }
  return { from: offset, wantsHeld: held === "true" };
}
