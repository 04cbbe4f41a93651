import fastify from "fastify";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { anthropicMessages, gemini, openaiChat } from "fullstop/wire";
import type { WireFormat } from "fullstop/wire";
import { addResponseRoutes } from "./doors/response-routes.ts";
import { answer } from "./doors/answer.ts";
import type { House } from "./doors/answer.ts";
import { addCountRoutes, answerGeminiCount, isGeminiCount } from "./doors/count-tokens.ts";
import { DOORS } from "./doors/door.ts";
import { followMethods } from "./doors/wrong-method.ts";
import { addStopRoutes } from "./generations/stop-routes.ts";
import { addModelRoutes } from "./models/model-routes.ts";
import { RequestError } from "./request-error.ts";
import { messageOf } from "./message-of.ts";

/** The largest body of a request: long conversations with images in them. */
const MOST_BODY_BYTES = 32 * 1024 * 1024;

/** How long a client may take to send its request. */
const REQUEST_TIMEOUT = 60_000;

/** Puts the server together: four doors, what is around them, and errors in the words of whoever asked. */
export function createServer(house: House): FastifyInstance {
  const app = fastify({
    bodyLimit: MOST_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT,
    // The streams that are open are ended by their generations, not by closing their sockets.
    forceCloseConnections: "idle",
  });
  const methodsAt = followMethods(app);
  app.removeAllContentTypeParsers();
  // Whatever a client calls its body, it has to be JSON.
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => {
    try {
      done(null, body === "" ? undefined : JSON.parse(String(body)));
    } catch (error) {
      const why = messageOf(error);
      done(new RequestError("invalid_request", `The body is not JSON: ${why}`), undefined);
    }
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = dialectOf(request).encodeError(toRequestError(error).signal);
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler((request, reply) => {
    const { method, url } = request;
    const path = url.replace(/\?.*$/su, "");
    const methods = methodsAt(path);
    if (methods.length > 0) reply.header("allow", methods.join(", "));
    const refusal =
      methods.length > 0
        ? new RequestError("invalid_request", `${path} takes ${methods.join(", ")}, not ${method}`, 405)
        : new RequestError("not_found", `There is nothing at ${method} ${path}`);
    const { status, body } = dialectOf(request).encodeError(refusal.signal);
    return reply.code(status).send(body);
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
  app.get("/healthz", () => ({ status: "ok" }));
  closeConnectionsAfterUse(app);
  return app;
}

/**
 * When the server closes, connections that serve nobody are closed at once, by Fastify; here those that become idle
 * later, when their answer has ended. Clients would otherwise keep them, and the server with them, for a minute.
 */
function closeConnectionsAfterUse(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook("preClose", (done) => {
    isClosing = true;
    done();
  });
  app.server.on("request", (_request, response) => {
    response.on("close", () => {
      if (isClosing) setImmediate(() => app.server.closeIdleConnections());
    });
  });
}

/** The dialect of whoever asks: that of the address, or of the client where dialects share one. */
function dialectOf({ url, headers }: FastifyRequest): WireFormat {
  if (url.startsWith("/v1beta/")) return gemini;
  if (headers["anthropic-version"] !== undefined) return anthropicMessages;
  return DOORS.find(({ path }) => url.startsWith(path))?.format ?? openaiChat;
}

/** What Fastify refuses by itself is told like what we refuse; anything else is our mistake and is not told. */
function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (error instanceof Error && status >= 400 && status < 500) {
    return new RequestError("invalid_request", error.message, status);
  }
  return new RequestError("server_error", "Something went wrong inside the gateway", 500);
}
