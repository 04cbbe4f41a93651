// The OpenAPI document of the gateway: which routes there are is asked of the server itself.
import { readFileSync } from "node:fs";
import { buildHouse } from "../../packages/gateway/dist/config/build-house.js";
import { parseConfig } from "../../packages/gateway/dist/config/config.js";
import { createServer } from "../../packages/gateway/dist/server.js";
import { OPERATIONS, PARAMETERS } from "./openapi-operations.mjs";
import { SCHEMAS } from "./openapi-schemas.mjs";
import { code, table } from "./table.mjs";

/** @typedef {ReturnType<typeof createServer>} Server */
/** @typedef {ReturnType<typeof describeOperation>} DescribedOperation */
/** @typedef {Record<string, Record<string, DescribedOperation>>} Paths */
/** @typedef {{ readonly tags: readonly { readonly name: string }[], readonly paths: Paths }} Document */
/** @import { Operation } from "./openapi-operations.mjs" */

const DIALECT_PAGES = new Map([
  ["openai-chat", "https://platform.openai.com/docs/api-reference/chat"],
  ["openai-responses", "https://platform.openai.com/docs/api-reference/responses"],
  ["anthropic-messages", "https://docs.claude.com/en/api/messages"],
  ["gemini", "https://ai.google.dev/api/generate-content"],
]);

/** The web page is for browsers. */
const PAGE = /^(?:\/|\/favicon\.svg|\/assets\/.*)$/u;

/**
 * The routes that a server has, each as its method and its address.
 *
 * @param {Server} app
 * @returns {readonly string[]}
 */
function routesOf(app) {
  /** @type {string[]} */
  const parents = [];
  return app
    .printRoutes({ commonPrefix: false })
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const {
        indent = "",
        part = "",
        methods = "",
      } = /^(?<indent>.*)── (?<part>\S+) \((?<methods>.*)\)$/u.exec(line)?.groups ?? {};
      const depth = (indent.length - 1) / 4;
      const above = depth === 0 ? "" : (parents[depth - 1] ?? "");
      const each = methods.split(", ").filter((method) => method !== "HEAD");
      // What is printed does not tell whether there is a slash before a star.
      const url = [above + part, `${above}/${part}`].find((path) =>
        app.hasRoute({ method: /** @type {"GET"} */ (each[0]), url: path }),
      );
      if (url === undefined) throw new Error(`The server has printed a route that it does not have: ${line}`);
      parents[depth] = url;
      return PAGE.test(url) ? [] : each.map((method) => `${method} ${url}`);
    });
}

async function registeredRoutes() {
  const config = parseConfig({});
  const house = await buildHouse(config, { FULLSTOP_STORE: "memory" }, { write: () => undefined });
  const app = createServer(house, config);
  await app.ready();
  const routes = routesOf(app);
  await house.close();
  await app.close();
  return routes;
}

/** @param {string} name */
const keyIn = (name) => ({ type: "apiKey", in: "header", name });

/** @param {string} name */
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });

/** @param {Operation} operation */
function requestBodyOf({ dialect, body, takesNothing = false, parameters = [] }) {
  if (body !== undefined) return { content: { "application/json": { schema: ref(body) } } };
  if (dialect === undefined || takesNothing) return undefined;
  const properties = parameters.includes("settings") ? { fullstop: ref("StopSettings") } : {};
  return {
    required: true,
    description: `A request in the dialect ${dialect}.`,
    content: { "application/json": { schema: { type: "object", properties } } },
  };
}

/** @param {Operation} operation */
function answersOf({ answer, type = "application/json", dialect, others = {}, access }) {
  const schema =
    type === "application/json" ? (answer === undefined ? { type: "object" } : ref(answer)) : { type: "string" };
  const error = { content: { "application/json": { schema: ref("Error") } } };
  const description = dialect === undefined ? "The answer." : `An answer in the dialect ${dialect}.`;
  return {
    200: { description, content: { [type]: { schema } } },
    ...Object.fromEntries(
      Object.entries(others).map(([status, words]) => [
        status,
        { description: words, ...(Number(status) >= 400 && error) },
      ]),
    ),
    ...(access !== "public" && { default: { description: "The request is refused.", ...error } }),
  };
}

/**
 * @param {string} method
 * @param {Operation} operation
 */
function describeOperation(method, operation) {
  const { tag, summary, description, dialect, parameters = [], access } = operation;
  const requestBody = method === "POST" ? requestBodyOf(operation) : undefined;
  return {
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(dialect !== undefined && { externalDocs: { url: DIALECT_PAGES.get(dialect) } }),
    ...(parameters.length > 0 && {
      parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    }),
    ...(requestBody !== undefined && { requestBody }),
    responses: answersOf(operation),
    ...(access === "public" && { security: [] }),
  };
}

/** @returns {Promise<Document & Readonly<Record<string, unknown>>>} */
export async function openApiDocument() {
  const manifest = readFileSync(new URL("../../packages/gateway/package.json", import.meta.url), "utf8");
  const { version } = /** @type {{ version: string }} */ (JSON.parse(manifest));
  /** @type {Paths} */
  const paths = {};
  for (const route of await registeredRoutes()) {
    const described = OPERATIONS[route];
    if (described === undefined) throw new Error(`${route} has no description in scripts/docs/openapi-operations.mjs`);
    const [method = "", url = ""] = route.split(" ");
    for (const operation of [described].flat()) {
      const path = operation.path ?? url.replaceAll(/:(\w+)/gu, "{$1}");
      paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(method, operation) };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "The fullstop gateway",
      version,
      description: "Four dialects in front of every model, and the generations behind them: seen, followed, stopped.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "http://127.0.0.1:8787" }],
    security: [{ bearer: [] }, { apiKey: [] }, { googleKey: [] }, {}],
    tags: ["Dialects", "Counting tokens", "Models", "Generations", "Operation"].map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).toSorted(([first], [second]) => (first < second ? -1 : 1))),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: keyIn("x-api-key"),
        googleKey: keyIn("x-goog-api-key"),
      },
      parameters: PARAMETERS,
      schemas: SCHEMAS,
    },
  };
}

/**
 * The addresses of a document, as a table for people.
 *
 * @param {Document} document
 * @returns {string}
 */
export function addressTable({ tags, paths }) {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ address: `${method.toUpperCase()} ${path}`, operation })),
  );
  const tables = tags.map(({ name }) => {
    const own = rows.filter(({ operation }) => operation.tags[0] === name);
    const cells = own.map(({ address, operation }) => [code(address), operation.summary]);
    return `**${name}**\n\n${table(["address", "what it does"], cells)}`;
  });
  return tables.join("\n\n");
}
