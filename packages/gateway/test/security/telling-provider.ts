import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

/** The ways in which the provider fails, by the word that asks for each; any other word is answered well. */
export const FAILURES = ["crash", "silent", "page", "refuse", "redirect", "late", "broken", "claim"] as const;

/**
 * Opens a provider that fails in the way that the model's name or the last message says, and repeats every key that it
 * is told. It is closed after the tests of a file.
 */
export async function openTellingProvider(): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const wish = wishOf(body);
      const told = JSON.stringify([request.headers, request.url]);
      const quoted = `You sent ${told}`;
      if (wish === "crash") request.socket.destroy();
      else if (wish === "silent") return;
      else if (wish === "page")
        response.writeHead(500, { "content-type": "text/html" }).end(`<title>${quoted}</title>`);
      else if (wish === "refuse")
        response.writeHead(401).end(JSON.stringify({ error: { message: quoted, code: told } }));
      else if (wish === "redirect")
        response.writeHead(307, { location: `${baseUrl}/elsewhere?told=${told.length}` }).end();
      else if (wish === "late") {
        response.write('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n');
        response.end(`data: ${JSON.stringify({ error: { message: quoted, type: told } })}\n\n`);
      } else if (wish === "claim") {
        // How the answer ended, in our own words, as another fullstop would say it; and in more than those.
        const signal = {
          shouldTerminate: true,
          reason: "stop_sequence",
          confidence: "high",
          providerSpecific: { originalField: told, originalValue: told, metadata: { told, [told]: 1 }, told },
          message: quoted,
          detail: told,
          stopSequence: told,
          told,
          more: { told: [told] },
        };
        const choice = { index: 0, delta: { content: "Hi" }, finish_reason: "stop" };
        response.end(`data: ${JSON.stringify({ id: "x", choices: [choice], fullstop: signal })}\n\ndata: [DONE]\n\n`);
      } else if (wish === "broken") response.writeHead(200).end(`data: {"oops": ${quoted}\n\n`);
      else {
        response.write('data: {"id":"x","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n');
        response.end("data: [DONE]\n\n");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return baseUrl;
}

function wishOf(body: string): (typeof FAILURES)[number] | undefined {
  const { model = "", messages = [] } = JSON.parse(body === "" ? "{}" : body) as {
    readonly model?: string;
    readonly messages?: readonly object[];
  };
  const last = JSON.stringify(messages.at(-1) ?? "");
  return FAILURES.find((word) => model.startsWith(word) || last.includes(`please ${word}`));
}
