import { execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startServe } from "../../packages/gateway/test/support/serve.ts";
import { EXAMPLES } from "./support/example-process.ts";
import { endless, openProvider } from "./support/provider.ts";

const FOLDER = path.join(EXAMPLES, "worker");
const PROGRAMS = path.join(EXAMPLES, "node_modules/.bin");

/** Starts the worker in the runtime of Cloudflare until the end of the test, and gives its address. */
async function startWorker(baseUrl: string): Promise<string> {
  const parameters = ["serve", "worker.capnp", "--socket-addr", "http=127.0.0.1:0", "--control-fd=3"];
  const child = spawn(path.join(PROGRAMS, "workerd"), parameters, {
    cwd: FOLDER,
    env: { ...process.env, OPENAI_BASE_URL: baseUrl },
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const exit = new Promise((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const message = JSON.parse(line) as { readonly event: string; readonly port?: number };
    if (message.event === "listen") return `http://127.0.0.1:${message.port}`;
  }
  throw new Error("workerd has ended before it listened; what it said is above.");
}

function ask(url: string, content: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({
      model: "pip",
      max_tokens: 500,
      stream: true,
      stop_sequences: ["</answer>"],
      messages: [{ role: "user", content }],
    }),
    ...(signal !== undefined && { signal }),
  });
}

/** The text of an answer and its last words, out of the frames of Anthropic Messages. */
function read(body: string) {
  const events = [...body.matchAll(/^data: (?<json>.*)$/gmu)].map(
    ({ groups }) => JSON.parse(groups?.["json"] ?? "") as AnthropicEvent,
  );
  const text = events.map(({ delta }) => delta?.text ?? "").join("");
  const ending = events.find(({ type }) => type === "message_delta")?.delta;
  return { text, reason: ending?.stop_reason, stopSequence: ending?.stop_sequence };
}

interface AnthropicEvent {
  readonly type: string;
  readonly delta?: { readonly text?: string; readonly stop_reason?: string; readonly stop_sequence?: string };
}

describe("the worker in workerd", () => {
  beforeAll(() => {
    execFileSync("npm", ["run", "build"], { cwd: FOLDER });
  });

  it("answers in Anthropic's dialect with an answer of Pip, up to the stop string", async () => {
    const gateway = await startServe(["--port", "0"], { cwd: import.meta.dirname });
    try {
      const response = await ask(
        await startWorker(`${gateway.url}/v1`),
        "What number comes before 395? Use <answer></answer>.",
      );
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      expect(read(await response.text())).toEqual({
        text: "<answer>394",
        reason: "stop_sequence",
        stopSequence: "</answer>",
      });
    } finally {
      gateway.child.kill();
      await gateway.exit;
    }
  });

  it("ends an answer at the stop string by itself, and closes the connection to the server", async () => {
    const provider = await openProvider(endless("It is 42</an", "swer> and so on"));
    const response = await ask(await startWorker(provider.baseUrl), "Six times seven?");
    expect(read(await response.text())).toMatchObject({ text: "It is 42", reason: "stop_sequence" });
    expect(await provider.requests[0]?.closed).toBe("gone");
  });

  it("closes the connection to the server when the caller leaves", async () => {
    const provider = await openProvider(endless("Once upon", " a time"));
    const caller = new AbortController();
    const response = await ask(await startWorker(provider.baseUrl), "Tell me a story", caller.signal);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    // With all of it read the connection is closed in silence, which nobody notices who does not write.
    let body = "";
    while (!body.includes("a time")) body += decoder.decode((await reader.read()).value);
    caller.abort();
    await expect(reader.closed).rejects.toThrow(/abort/iu);
    expect(await provider.requests[0]?.closed).toBe("gone");
  });

  it("says what is wrong with a request", async () => {
    const url = await startWorker("http://127.0.0.1:9/v1");
    const response = await fetch(`${url}/v1/messages`, { method: "POST", body: '{"model": 7}' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("model");
  });
});
