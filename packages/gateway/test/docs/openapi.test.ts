import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { buildHouse } from "../../src/config/build-house.ts";
import { parseConfig } from "../../src/config/config.ts";
import { readPageFiles } from "../../src/page/page-files.ts";
import { createServer } from "../../src/server.ts";
import { get, openGatewayForFile, post } from "../support/gateway.ts";
import { ROOT } from "../support/pages.ts";

const run = promisify(execFile);

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
  readonly parameters?: readonly { readonly $ref: string }[];
}

interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<"schemas" | "parameters", Readonly<Record<string, object>>>>;
}

const text = readFileSync(path.join(ROOT, "packages/gateway/openapi.json"), "utf8");
const document = JSON.parse(text) as Document;
const operations = Object.entries(document.paths).flatMap(([address, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), address, operation })),
);

/** The address of a document as it is registered: a name for one part, and a star for what may have slashes. */
function routeOf(address: string): string {
  return address.replaceAll(/\{model\}(?::\w+)?/gu, "*").replaceAll(/\{(\w+)\}/gu, ":$1");
}

/** Every method and address that the server is told of while it is put together. */
async function registeredRoutes(): Promise<ReadonlySet<string>> {
  const config = parseConfig({});
  const house = await buildHouse(config, { FULLSTOP_STORE: "memory" });
  const app = createServer(house, config);
  await app.ready();
  const page = new Set(["/", ...readPageFiles().map((file) => file.address)]);
  const found = new Set<string>();
  for (const { method, address } of operations) {
    if (app.hasRoute({ method, url: routeOf(address) })) found.add(`${method} ${routeOf(address)}`);
  }
  // One line for each address, with the methods in brackets: whatever is described accounts for all of them.
  const printed = [...app.printRoutes({ commonPrefix: false }).matchAll(/\((?<methods>[A-Z, ]+)\)/gu)];
  const methods = printed.flatMap(({ groups }) => (groups?.["methods"] ?? "").split(", "));
  expect(methods.filter((method) => method !== "HEAD")).toHaveLength(found.size + page.size);
  await house.close();
  await app.close();
  return found;
}

describe("what is written out of the code", () => {
  it("is up to date, in the pages and in openapi.json", async () => {
    const { stderr } = await run(process.execPath, [path.join(ROOT, "scripts/write-docs.mjs"), "--check"]).catch(
      (error: { stderr: string }) => error,
    );
    expect(stderr).toBe("");
  });
});

describe("the OpenAPI document", () => {
  it("has every route of the server, and no other", async () => {
    const registered = await registeredRoutes();
    const described = new Set(operations.map(({ method, address }) => `${method} ${routeOf(address)}`));
    expect([...described].toSorted()).toEqual([...registered].toSorted());
  });

  it("is one: tags, parameters and schemas that it names are there, and the parts of addresses are parameters", () => {
    expect(document.openapi).toBe("3.1.0");
    for (const [, kind = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/gu)) {
      expect(Object.keys(document.components[kind as "schemas"])).toContain(name);
    }
    for (const { address, operation } of operations) {
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
      expect(operation.summary).not.toBe("");
      expect(Object.keys(operation.responses)).toContain("200");
      const named = (operation.parameters ?? []).map(({ $ref }) => $ref.split("/").at(-1));
      for (const [, part] of address.matchAll(/\{(\w+)\}/gu)) expect(named).toContain(part);
    }
  });
});

describe("what the gateway says", async () => {
  const gateway = await openGatewayForFile();

  /** A schema of the document as something that checks. */
  function schemaOf(name: string): z.ZodType {
    const $defs = JSON.parse(
      JSON.stringify(document.components.schemas).replaceAll("#/components/schemas/", "#/$defs/"),
    ) as Record<string, object>;
    return z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs } as Parameters<typeof z.fromJSONSchema>[0]);
  }

  function fits(name: string, value: unknown): void {
    expect(schemaOf(name).safeParse(value).error?.issues ?? []).toEqual([]);
  }

  it("is as the document describes it", async () => {
    const asked = { model: "pip", input: "Count to 500.", background: true, fullstop: { ignoreEos: true } };
    const { id } = (await post(`${gateway.url}/v1/responses`, asked)).body as { id: string };
    fits("GenerationList", (await get(`${gateway.url}/v1/generations`)).body);
    fits("GenerationWithText", (await get(`${gateway.url}/v1/generations/${id}`)).body);
    const { body: receipt } = await post(`${gateway.url}/v1/generations/${id}/stop`, { mode: "stop" });
    expect(receipt).toMatchObject({ id, result: "stopped" });
    fits("StopReceipt", receipt);
    const { body: history } = await get(`${gateway.url}/v1/generations?state=ended`);
    expect(history).toMatchObject({ generations: [{ id }] });
    fits("GenerationList", history);
    fits("StoppedAll", (await post(`${gateway.url}/v1/generations/stop`, {})).body);
    for (const address of ["healthz", "readyz"]) fits("Health", (await get(`${gateway.url}/${address}`)).body);
  });

  it("refuses settings with the fields that the document has", async () => {
    const body = { model: "pip", messages: [{ role: "user", content: "Hi" }], fullstop: { nonsense: 1 } };
    const { status, body: error } = await post(`${gateway.url}/v1/chat/completions`, body);
    const fields = Object.keys((document.components.schemas["StopSettings"] as { properties: object }).properties);
    expect(status).toBe(400);
    expect(JSON.stringify(error)).toContain(`its fields are ${fields.join(", ")}`);
    expect(schemaOf("StopSettings").safeParse({ nonsense: 1 }).success).toBe(false);
    fits("StopSettings", { stop: ["a", { text: "b", scope: "all" }], repetition: true, onDisconnect: "continue" });
  });
});
