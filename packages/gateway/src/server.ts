import type { Socket } from "node:net";
import fastify from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anthropicMessages, gemini, openaiChat } from "fullstop/wire";
import type { WireFormat } from "fullstop/wire";
import { allowOrigins } from "./access/allow-origins.ts";
import type { ServerLimits } from "./config/limits.ts";
import { addResponseRoutes } from "./doors/response-routes.ts";
import { answer } from "./doors/answer.ts";
import type { House } from "./doors/answer.ts";
import { addCountRoutes, answerGeminiCount, isGeminiCount } from "./doors/count-tokens.ts";
import { DOORS, withModels } from "./doors/door.ts";
import { retryAfter } from "./doors/reply.ts";
import { readBody } from "./doors/request-body.ts";
import { OpenAnswers } from "./doors/open-answers.ts";
import { Unreadable } from "./doors/unreadable.ts";
import { followMethods } from "./doors/wrong-method.ts";
import { addLiveRoutes } from "./generations/live-routes.ts";
import { addStopRoutes } from "./generations/stop-routes.ts";
import { addModelRoutes } from "./models/model-routes.ts";
import { addOperationRoutes } from "./operations/routes.ts";
import { addPageRoutes } from "./page/page-routes.ts";
import { RequestError } from "./request-error.ts";

/** What a server allows its clients. */
export interface ServerOptions {
  readonly limits: ServerLimits;
  readonly allowedOrigins: readonly string[];
}

/** How many milliseconds pass at most between two looks for clients that are too slow. */
const LONGEST_INTERVAL = 5000;

/** How much of an address that leads nowhere is repeated. */
const MOST_OF_PATH = 200;

/** The methods whose bodies, if there are any, are not looked at. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** No route has a schema, so that nothing is to be compiled; Fastify would load what does that, 3 MiB of it. */
const NO_SCHEMAS = { buildValidator: refuseSchemas, buildSerializer: refuseSchemas };

function refuseSchemas(): never {
  throw new Error("Routes of the gateway have no schemas");
}

/** Puts the server together: four doors, what is around them, and errors in the words of whoever asked. */
export function createServer(house: House, { limits, allowedOrigins }: ServerOptions): FastifyInstance {
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = toRequestError(error, limits);
    const { status, body } = house.operations.refuse(request, dialectOf(request), refusal, error);
    return reply.code(status).headers(retryAfter(refusal.signal)).send(body);
  };
  const openAnswers = new OpenAnswers();
  const unreadable = new Unreadable(limits, openAnswers);
  const app = fastify({
    bodyLimit: limits.maxBodyBytes,
    requestTimeout: limits.requestMilliseconds,
    keepAliveTimeout: limits.idleMilliseconds,
    http: {
      maxHeaderSize: limits.maxHeaderBytes,
      // Node takes the longer of the two for the whole request, and its own default for the headers is a minute.
      headersTimeout: limits.requestMilliseconds,
      requestTimeout: limits.requestMilliseconds,
      connectionsCheckingInterval: Math.min(LONGEST_INTERVAL, Math.ceil(limits.requestMilliseconds / 4)),
    },
    rewriteUrl: ({ url = "" }) => withModels(url),
    clientErrorHandler: (error, socket) => unreadable.answer(error, socket),
    // What cannot even be routed. Fastify's own answer would quote the address, and the key in its query.
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
    schemaController: { compilersFactory: NO_SCHEMAS },
    // The streams that are open are ended by their generations, not by closing their sockets.
    forceCloseConnections: "idle",
  });
  const methodsAt = followMethods(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, ({ headers }, body: Buffer, done) =>
    done(null, readBody(body, headers["content-encoding"])),
  );
  app.setErrorHandler(refuse);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.replace(/\?.*$/su, "");
    const methods = methodsAt(path);
    if (methods.length > 0) reply.header("allow", methods.join(", "));
    return refuse(notFound(request.method, path, methods), request, reply);
  });
  if (allowedOrigins.length > 0) allowOrigins(app, allowedOrigins);
  // Before any of a body is read: strangers would otherwise have megabytes of JSON taken in and looked through.
  app.addHook("onRequest", (request, _reply, done) => {
    if (!WITHOUT_BODY.has(request.method)) house.gatekeeper.admit(request);
    done();
  });
  for (const door of DOORS) {
    app.post(door.path, (request, reply) =>
      isGeminiCount(request) ? answerGeminiCount(house, request, reply) : answer(door, house, request, reply),
    );
  }
  addCountRoutes(app, house);
  addResponseRoutes(app, house);
  addModelRoutes(app, house);
  addStopRoutes(app, house);
  addLiveRoutes(app, house);
  addOperationRoutes(app, house);
  addPageRoutes(app);
  closeConnectionsAfterUse(app, openAnswers);
  app.server.on("request", ({ socket }, response) => openAnswers.follow(socket, response));
  return app;
}

/**
 * When the server closes, connections that serve nobody are closed at once; here those over which nothing was asked yet,
 * as browsers open them ahead, and which Node does not count as idle, and those that become idle later, when their
 * answer has ended. Clients would otherwise keep them, and the server with them, for as long as answers may go on.
 */
function closeConnectionsAfterUse(app: FastifyInstance, openAnswers: OpenAnswers): void {
  const connections = new Set<Socket>();
  let isClosing = false;
  app.addHook("preClose", (done) => {
    isClosing = true;
    for (const socket of connections) if (openAnswers.over(socket).length === 0) socket.destroy();
    done();
  });
  app.server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
  });
  app.server.on("request", (_request, response) => {
    response.on("close", () => {
      if (isClosing) setImmediate(() => app.server.closeIdleConnections());
    });
  });
}

/** What is said of an address that leads nowhere, or not by this method. */
function notFound(method: string, path: string, methods: readonly string[]): RequestError {
  const shown = path.length <= MOST_OF_PATH ? path : `${path.slice(0, MOST_OF_PATH)}…`;
  if (methods.length === 0) return new RequestError("not_found", `There is nothing at ${method} ${shown}`);
  return new RequestError("invalid_request", `${shown} takes ${methods.join(", ")}, not ${method}`, { status: 405 });
}

/** The dialect of whoever asks: that of the address, or of the client where dialects share one. */
function dialectOf({ url, headers }: FastifyRequest): WireFormat {
  if (url.startsWith("/v1beta/")) return gemini;
  if (headers["anthropic-version"] !== undefined) return anthropicMessages;
  return DOORS.find(({ path }) => url.startsWith(path))?.format ?? openaiChat;
}

/**
 * What Fastify refuses by itself is told like what we refuse, but never in its words, which quote addresses and with
 * them keys. Anything else is our mistake and is not told.
 */
function toRequestError(error: unknown, { maxBodyBytes }: ServerLimits): RequestError {
  if (error instanceof RequestError) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status < 400 || status >= 500) {
    return new RequestError("server_error", "Something went wrong inside the gateway", { status: 500 });
  }
  const words =
    status === 413
      ? `The body is larger than ${maxBodyBytes} bytes (limits.maxBodyBytes)`
      : (REFUSALS.get(status) ?? "The request is bad");
  return new RequestError("invalid_request", words, { status });
}

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, "The address or the body cannot be read"],
  [414, "The address is too long"],
  [415, "The header content-type cannot be read; application/json is right"],
]);
