import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { FullstopError } from "fullstop";
import type { GenerationRequest } from "fullstop";
import type { DecodedRequest, EncodeOptions, RequestTarget, WireFormat } from "fullstop/wire";
import { openRoutes } from "../access/caller-key.ts";
import type { Gatekeeper } from "../access/gatekeeper.ts";
import type { Limiter } from "../access/limiter.ts";
import { checkPrices, spentOn } from "../access/spending.ts";
import type { Generations } from "../generations/generations.ts";
import type { LiveGeneration } from "../generations/live-generation.ts";
import type { ModelRouter } from "../models/model-router.ts";
import type { ProviderCatalogue } from "../models/provider-catalogue.ts";
import type { Operations } from "../operations/operations.ts";
import { traceHeadersOf } from "../operations/trace-headers.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import { checkStops, layOver, readGenerationSettings } from "../rules/generation-settings.ts";
import type { GenerationSettings } from "../rules/generation-settings.ts";
import { checkCostLimit } from "../rules/cost-limit.ts";
import { checkStopSize } from "../rules/stop-size.ts";
import { settingsInWordsOfServers } from "../rules/words-of-servers.ts";
import { describeResponse, whenRecorded } from "./background.ts";
import { checkForLocal } from "./check-for-local.ts";
import type { Door } from "./door.ts";
import { asEvents } from "./framing.ts";
import { headerText } from "./header-text.ts";
import { sendBody, sendStream, sendWhole } from "./reply.ts";

/** What every door leads to. */
export interface House {
  readonly gatekeeper: Gatekeeper;
  readonly limiter: Limiter;
  readonly router: ModelRouter;
  readonly catalogue: ProviderCatalogue;
  readonly generations: Generations;
  readonly defaults: GenerationSettings;
  readonly operations: Operations;
  /** How large a request may be, also with what it refers to. */
  readonly maxBodyBytes: number;
  /** How long the stop strings of a request may be, all together. */
  readonly maxStopCharacters: number;
}

/** The header in which settings can stand where a client cannot put them into the body. */
const SETTINGS_HEADER = "x-fullstop-settings";

/** Answers a request that came through a door. */
export async function answer(door: Door, house: House, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const begun = await begin(door, house, request);
  reply.hijack();
  const response = reply.raw;
  stopWithoutReader(response, begun);
  const { generation, asked, body, isBackground } = begun;
  const options = {
    created: Math.floor(generation.startedAt / 1000),
    includeUsage: asked.streamUsage ?? false,
    echo: door.echo?.(body, isBackground),
  };
  const framing = (door.framing?.(request.query) ?? asEvents)();
  try {
    if (asked.stream === true) await sendStream(response, generation, door.format, options, framing);
    else if (isBackground) await sendHead(response, generation, options);
    else await sendWhole(response, generation, door.format, options);
  } catch (error) {
    // Nobody else ends an answer that was taken out of Fastify's hands.
    response.destroy();
    house.operations.reportMistake(request, error);
    throw error;
  }
}

/** A generation that has begun, and the request for it. */
interface Begun {
  readonly generation: LiveGeneration;
  readonly asked: GenerationRequest;
  readonly settings: GenerationSettings;
  /** The body without the gateway's own fields. */
  readonly body: unknown;
  readonly isBackground: boolean;
}

/** Begins what a request asks for. Whatever is wrong with the request is refused before anything has begun. */
async function begin(door: Door, house: House, request: FastifyRequest): Promise<Begun> {
  const visitor = house.gatekeeper.admit(request);
  house.operations.readiness.check();
  const { fullstop, body: whole } = takeSettings(request.body);
  const { isBackground, body: given } = door.takeBackground?.(whole) ?? { isBackground: false, body: whole };
  const body = door.complete === undefined ? given : await door.complete(house, request, given);
  const { request: asked, warnings } = decode(door.format, body, door.target(restOf(request), request.headers));
  house.gatekeeper.checkModel(visitor, asked.model);
  const routes = house.router.resolve(asked.model);
  const ofModel = layOver(house.defaults, routes[0]?.defaults ?? {});
  const defaults = layOver(ofModel, visitor.defaults);
  const wish = fullstop ?? settingsHeader(request);
  checkStopSize(asked.stop, wish, house.maxStopCharacters);
  const settings = readGenerationSettings(wish, layOver(defaults, settingsInWordsOfServers(asked)));
  checkStops(settings, asked.stop);
  // What one model cannot do, another one that is asked instead may.
  if (routes.every(({ appliesRules }) => appliesRules)) checkForLocal(asked);
  const targets = openRoutes(routes, request, house.gatekeeper);
  checkPrices(visitor.limits, asked.model, targets);
  if (settings.maxCost !== defaults.maxCost) checkCostLimit(settings.maxCost, asked.model, targets);
  const place = house.limiter.enter(visitor);
  const generation = house.generations.start({
    id: door.createId(),
    owner: visitor.name,
    request: asked,
    settings,
    targets,
    trace: traceHeadersOf(request.headers),
    warnings,
    isBackground,
  });
  void generation.ended.then(() => place.leave(spentOn(generation)));
  return { generation, asked, settings, body, isBackground };
}

/** Stops a generation when whoever asked for it has gone, unless it is to go on without them. */
function stopWithoutReader(response: ServerResponse, { generation, settings, isBackground }: Begun): void {
  if (isBackground || settings.onDisconnect !== "stop") return;
  const onClose = (): void => {
    if (!response.writableFinished) generation.stop("disconnect");
  };
  if (response.destroyed) onClose();
  else response.on("close", onClose);
}

/** Sends what can be said of a response that nobody waits for. */
async function sendHead(response: ServerResponse, generation: LiveGeneration, { echo }: EncodeOptions): Promise<void> {
  await whenRecorded(generation);
  sendBody(response, generation.id, { status: 200, body: await describeResponse(generation, echo) });
}

/** What stands in place of the `*` in a path. */
export function restOf({ params }: FastifyRequest): string {
  const rest: unknown = typeof params === "object" && params !== null && "*" in params ? params["*"] : "";
  return typeof rest === "string" ? rest : "";
}

/** Reads a request in a dialect. A mistake in it is the caller's. */
export function decode(format: WireFormat, body: unknown, target: RequestTarget): DecodedRequest {
  try {
    return format.decodeRequest(body, target);
  } catch (error) {
    if (!(error instanceof FullstopError)) throw error;
    const { argument: param } = error;
    const isField = param !== undefined && param !== "body";
    throw new RequestError("invalid_request", error.message, isField ? { param } : undefined);
  }
}

/** Takes the gateway's own object out of a body, which the dialect does not know. */
export function takeSettings(body: unknown): { readonly fullstop: unknown; readonly body: unknown } {
  if (typeof body !== "object" || body === null || !("fullstop" in body)) return { fullstop: undefined, body };
  const { fullstop, ...rest } = body;
  return { fullstop, body: rest };
}

function settingsHeader({ headers }: FastifyRequest): unknown {
  const bytes = headers[SETTINGS_HEADER];
  if (typeof bytes !== "string") return undefined;
  const value = headerText(bytes);
  try {
    return JSON.parse(value);
  } catch {
    throw new RequestError("invalid_request", `The header ${SETTINGS_HEADER} must be JSON, got ${quoteValue(value)}`);
  }
}
