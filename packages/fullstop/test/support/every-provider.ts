import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import { finish, start, text, usage } from "./official.ts";
import { bodyOf } from "./provider-server.ts";
import type { Dialect } from "./provider-server.ts";

/** By the end of the address, with or without a query. */
const DIALECTS: readonly [ending: RegExp, dialect: Dialect][] = [
  [/\/chat\/completions$/u, "openai-chat"],
  [/\/responses$/u, "openai-responses"],
  [/\/messages$/u, "anthropic-messages"],
  [/:(?:streamG|g)enerateContent/u, "gemini"],
];

const answer = [
  start,
  text("The answer is 42</an"),
  text("swer> and more"),
  usage({ inputTokens: 9, outputTokens: 4 }),
  finish("natural_completion"),
];

/** Opens a server that speaks every dialect at its usual path, and has one answer to everything. */
export async function openEveryProvider(): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    let json = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (json += chunk));
    request.on("end", () => {
      const url = request.url ?? "";
      const dialect = DIALECTS.find(([ending]) => ending.test(url.split("?")[0] ?? ""))?.[1];
      if (dialect === undefined) {
        response.writeHead(404).end();
        return;
      }
      const isStream = url.includes("stream") || (JSON.parse(json) as { stream?: boolean }).stream === true;
      response.setHeader("content-type", isStream ? "text/event-stream" : "application/json");
      response.end(bodyOf(WIRE_FORMATS[dialect], answer, isStream));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
