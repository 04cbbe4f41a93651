import type { FastifyReply, FastifyRequest } from "fastify";
import { FullstopError } from "fullstop";
import type { DecodedRequest } from "fullstop/wire";
import type { Gatekeeper } from "../access/gatekeeper.ts";
import type { GenerationRegistry } from "../generations/registry.ts";
import type { ModelRouter } from "../models/model-router.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import { readGenerationSettings } from "../rules/generation-settings.ts";
import type { GenerationSettings } from "../rules/generation-settings.ts";
import type { Door } from "./door.ts";
import { sendStream, sendWhole } from "./reply.ts";

/** What every door leads to. */
export interface House {
  readonly gatekeeper: Gatekeeper;
  readonly router: ModelRouter;
  readonly registry: GenerationRegistry;
  readonly defaults: GenerationSettings;
  /** What this gateway is called where there are several. */
  readonly replica: string;
}

/** The header in which settings can stand where a client cannot put them into the body. */
const SETTINGS_HEADER = "x-fullstop-settings";

/** Answers a request that came through a door. */
export async function answer(door: Door, house: House, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const visitor = house.gatekeeper.admit(request);
  const { fullstop, body } = takeSettings(request.body);
  const { request: asked } = decode(door, body, restOf(request));
  const settings = readGenerationSettings(fullstop ?? settingsHeader(request), house.defaults);
  house.gatekeeper.checkModel(visitor, asked.model);
  const targets = house.router.resolve(asked.model);
  const generation = house.registry.start({
    id: door.createId(),
    owner: visitor.name,
    request: asked,
    settings,
    targets,
  });
  reply.hijack();
  const response = reply.raw;
  const onClose = (): void => {
    const isGone = !response.writableFinished;
    if (isGone && settings.onDisconnect === "stop") generation.stop("disconnect");
  };
  if (response.destroyed) onClose();
  else response.on("close", onClose);
  const options = { created: Math.floor(generation.startedAt / 1000), includeUsage: asked.streamUsage ?? false };
  const send = asked.stream === true ? sendStream : sendWhole;
  try {
    await send(response, generation, door.format, options);
  } catch (error) {
    // Nobody else ends an answer that was taken out of Fastify's hands.
    response.destroy();
    throw error;
  }
}

function restOf({ params }: FastifyRequest): string {
  const rest: unknown = typeof params === "object" && params !== null && "*" in params ? params["*"] : "";
  return typeof rest === "string" ? rest : "";
}

function decode(door: Door, body: unknown, rest: string): DecodedRequest {
  try {
    return door.format.decodeRequest(body, door.target(rest));
  } catch (error) {
    if (error instanceof FullstopError) throw new RequestError("invalid_request", error.message);
    throw error;
  }
}

/** Takes the gateway's own object out of a body, which the dialect does not know. */
function takeSettings(body: unknown): { readonly fullstop: unknown; readonly body: unknown } {
  if (typeof body !== "object" || body === null || !("fullstop" in body)) return { fullstop: undefined, body };
  const { fullstop, ...rest } = body;
  return { fullstop, body: rest };
}

function settingsHeader({ headers }: FastifyRequest): unknown {
  const value = headers[SETTINGS_HEADER];
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new RequestError("invalid_request", `The header ${SETTINGS_HEADER} must be JSON, got ${quoteValue(value)}`);
  }
}
