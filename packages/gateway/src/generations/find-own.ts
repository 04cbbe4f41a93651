import type { FastifyRequest } from "fastify";
import type { House } from "../doors/answer.ts";
import type { LiveGeneration } from "./live-generation.ts";

/** The id in the address of a request. */
export function idOf({ params }: FastifyRequest): string {
  return typeof params === "object" && params !== null && "id" in params ? String(params.id) : "";
}

/** The generation that a request is about, if whoever asks may know of it: its owner, or an operator. */
export function findOwn({ gatekeeper, registry }: House, request: FastifyRequest): LiveGeneration | undefined {
  const visitor = gatekeeper.admit(request);
  const generation = registry.find(idOf(request));
  const isTheirs = visitor.isOperator || generation?.owner === visitor.name;
  return isTheirs ? generation : undefined;
}
