import path from "node:path";
import { finish, start, text } from "fullstop/testing";
import { afterAll, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { post } from "../support/gateway.ts";
import { startServe } from "../support/serve.ts";
import { openUpstream } from "../support/upstream.ts";

const folder = createFolder();

/** What an operator writes, as docs/operations.md has it, with an exporter that writes to standard error. */
const SDK = `
import { trace } from ${JSON.stringify(import.meta.resolve("@opentelemetry/api"))};
import { BasicTracerProvider, BatchSpanProcessor } from ${JSON.stringify(import.meta.resolve("@opentelemetry/sdk-trace-base"))};
const exporter = {
  export(spans, done) {
    for (const { name, attributes } of spans) console.error(JSON.stringify({ span: name, attributes }));
    done({ code: 0 });
  },
  shutdown: async () => undefined,
};
const sdk = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(sdk);
process.once("beforeExit", () => sdk.shutdown());
`;

it("hands its spans to the SDK that node was told to load before it, in time for the last of them", async () => {
  const upstream = await openUpstream("openai-chat", () => [start(), text("Hello"), finish()]);
  afterAll(() => upstream.close());
  const providers = { near: { baseUrl: upstream.baseUrl } };
  const config = folder.write("sdk.json", JSON.stringify({ port: 0, providers, logs: { level: "silent" } }));
  const bin = path.resolve(import.meta.dirname, "../../bin/fullstop.js");
  const program = ["--import", folder.write("sdk.mjs", SDK), bin, "serve"];
  const server = await startServe(["--config", config], { cwd: folder.path("."), program });
  await post(`${server.url}/v1/chat/completions`, { model: "near/m", messages: [{ role: "user", content: "Hi" }] });
  server.child.kill("SIGTERM");
  expect(await server.exit).toBe(0);
  expect(JSON.parse(server.stderr())).toMatchObject({
    span: "chat near/m",
    attributes: { "gen_ai.provider.name": "near", "gen_ai.response.finish_reasons": ["stop"] },
  });
});
