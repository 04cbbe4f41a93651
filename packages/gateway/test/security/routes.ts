import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** What an address of the gateway has to do with generations, by which it is tested. */
type RouteKind =
  /** Can be asked by anybody, and says nothing of any generation. */
  | "open"
  /** Asks a model, or counts: what it gives is the caller's own. */
  | "ask"
  /** Tells of models. */
  | "models"
  /** Tells of several generations. */
  | "list"
  /** Is about the generation that its address names. */
  | "one"
  /** Is for operators. */
  | "operators";

/** Every address of the gateway, and what it is. A new one has to be put here, and is tested as what it is. */
export const ROUTES: Readonly<Record<string, RouteKind>> = {
  "GET /healthz": "open",
  "GET /readyz": "open",
  "GET /metrics": "operators",
  "POST /v1/chat/completions": "ask",
  "POST /v1/messages": "ask",
  "POST /v1/messages/count_tokens": "ask",
  "POST /v1/responses": "ask",
  "POST /v1/responses/input_tokens": "ask",
  "POST /v1beta/models/{model}:countTokens": "ask",
  "POST /v1beta/models/{model}:generateContent": "ask",
  "POST /v1beta/models/{model}:streamGenerateContent": "ask",
  "GET /v1/models": "models",
  "GET /v1/models/{model}": "models",
  "GET /v1beta/models": "models",
  "GET /v1beta/models/{model}": "models",
  "GET /v1/generations": "list",
  "GET /v1/generations/live": "list",
  "POST /v1/generations/stop": "list",
  "GET /v1/generations/{id}": "one",
  "DELETE /v1/generations/{id}": "one",
  "GET /v1/generations/{id}/events": "one",
  "POST /v1/generations/{id}/stop": "one",
  "GET /v1/responses/{id}": "one",
  "DELETE /v1/responses/{id}": "one",
  "POST /v1/responses/{id}/cancel": "one",
};

/** The addresses of the OpenAPI document, which a test of its own compares with those of the server. */
export function describedRoutes(): readonly string[] {
  const text = readFileSync(resolve(import.meta.dirname, "../../openapi.json"), "utf8");
  const { paths } = JSON.parse(text) as { paths: Readonly<Record<string, object>> };
  return Object.entries(paths).flatMap(([address, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${address}`),
  );
}

/** A request to an address. */
export interface RouteRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The addresses of a kind. Each that is read can be asked for its head alone, too. */
export function routesOf(...kinds: readonly RouteKind[]): readonly RouteRequest[] {
  return Object.entries(ROUTES).flatMap(([route, kind]) => {
    const [method = "", path = ""] = route.split(" ");
    if (!kinds.includes(kind)) return [];
    return (method === "GET" ? ["GET", "HEAD"] : [method]).map((each) => ({ method: each, path }));
  });
}

/** The ways in which the addresses of one generation can be asked. */
export function waysOf({ method, path }: RouteRequest): readonly RouteRequest[] {
  const queries: Readonly<Record<string, readonly string[]>> = {
    "/v1/generations/{id}/events": ["?from=0", "?from=3", "?from=99999", "?held=true", "?from=-1", "?from=x"],
    "/v1/responses/{id}": ["?stream=true", "?stream=true&starting_after=1", "?starting_after=x"],
  };
  const modes = ["stop", "finish-sentence", "skip-thinking", "nonsense"];
  const bodies = path.endsWith("/stop") ? modes.map((mode) => ({ mode })) : [];
  return [
    { method, path },
    ...(queries[path] ?? []).map((query) => ({ method, path: path + query })),
    ...bodies.map((body) => ({ method, path, body })),
  ];
}
