import type { FastifyRequest } from "fastify";
import type { House } from "../doors/answer.ts";
import { RequestError } from "../request-error.ts";
import type { GenerationView } from "./view.ts";

/** The id in the address of a request. */
export function idOf({ params }: FastifyRequest): string {
  return typeof params === "object" && params !== null && "id" in params ? String(params.id) : "";
}

/** The generation that a request is about, if whoever asks may know of it: its owner, or an operator. */
export async function findOwn(
  { gatekeeper, generations }: House,
  request: FastifyRequest,
): Promise<GenerationView | undefined> {
  const visitor = gatekeeper.admit(request);
  const generation = await generations.find(idOf(request)).catch(refuseAway);
  const isTheirs = visitor.isOperator || generation?.owner === visitor.name;
  return isTheirs ? generation : undefined;
}

/** Refuses what needs a store that is away. */
export function refuseAway(): never {
  throw new RequestError("overloaded", "The store of generations cannot be reached; try again later", { status: 503 });
}
