import type { FastifyRequest } from "fastify";
import type { House } from "../doors/answer.ts";
import { askStore } from "./ask-store.ts";
import type { GenerationView } from "./view.ts";

/** The id in the address of a request. */
export function idOf({ params }: FastifyRequest): string {
  return typeof params === "object" && params !== null && "id" in params ? String(params.id) : "";
}

/** The generation that a request is about, unless another one is meant, if whoever asks may know of it: its owner, or an operator. */
export async function findOwn(
  { gatekeeper, generations, operations }: House,
  request: FastifyRequest,
  id: string = idOf(request),
): Promise<GenerationView | undefined> {
  const visitor = gatekeeper.admit(request);
  const generation = await askStore(operations, generations.find(id));
  const isTheirs = visitor.isOperator || generation?.owner === visitor.name;
  return isTheirs ? generation : undefined;
}

/** Who stops a generation: an operator who stops what is not theirs says so, unless they say something else. */
export function stopperOf({ gatekeeper }: House, request: FastifyRequest, { owner }: GenerationView): string {
  return owner === gatekeeper.admit(request).name ? "user" : "operator";
}
