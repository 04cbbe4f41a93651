import { describe, expect, it } from "vitest";
import { startServe } from "../../packages/gateway/test/support/serve.ts";
import { startExample } from "./support/example-process.ts";
import { endless, openProvider, whole } from "./support/provider.ts";

async function startRoute(baseUrl: string): Promise<string> {
  return startExample("express-route", ["server.ts"], { OPENAI_BASE_URL: baseUrl, PORT: "0" }).url();
}

function ask(url: string, message: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message }),
    ...(signal !== undefined && { signal }),
  });
}

/** The events of an answer, one by one as they come. */
async function* readEvents(response: Response): AsyncGenerator<Readonly<Record<string, string>>> {
  let rest = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) yield JSON.parse(frame.slice("data: ".length)) as Record<string, string>;
  }
}

async function readAll(events: ReturnType<typeof readEvents>) {
  let text = "";
  let reason = "";
  for await (const event of events) {
    text += event["text"] ?? "";
    reason = event["reason"] ?? "";
  }
  return { text, reason };
}

describe("the Express route", () => {
  it("streams an answer of Pip behind the gateway, up to the stop string", async () => {
    const gateway = await startServe(["--port", "0"], { cwd: import.meta.dirname });
    try {
      const url = await startRoute(`${gateway.url}/v1`);
      const answer = await readAll(readEvents(await ask(url, "What number comes before 395? Use <answer></answer>.")));
      expect(answer).toEqual({ text: "<answer>394", reason: "stop_sequence" });
    } finally {
      gateway.child.kill();
      await gateway.exit;
    }
  });

  it("says that an answer came to its end by itself", async () => {
    const provider = await openProvider(whole("It is ", "four."));
    const url = await startRoute(provider.baseUrl);
    expect(await readAll(readEvents(await ask(url, "Two and two?")))).toEqual({
      text: "It is four.",
      reason: "natural_completion",
    });
  });

  it("closes the connection to the provider when the browser leaves", async () => {
    const provider = await openProvider(endless("Once upon", " a time"));
    const url = await startRoute(provider.baseUrl);
    const browser = new AbortController();
    const events = readEvents(await ask(url, "Tell me a story", browser.signal));
    await events.next();
    browser.abort();
    expect(await provider.requests[0]?.closed).toBe("gone");
    await expect(readAll(events)).rejects.toThrow(/abort/iu);
  });

  it("stops an answer by its id, keeps what came, and says so", async () => {
    const provider = await openProvider(endless("Once upon", " a time"));
    const url = await startRoute(provider.baseUrl);
    const response = await ask(url, "Tell me a story");
    const stop = `${url}/chat/${response.headers.get("x-generation-id")}/stop`;
    let text = "";
    let reason = "";
    for await (const event of readEvents(response)) {
      text += event["text"] ?? "";
      reason = event["reason"] ?? "";
      if (text === "Once upon a time" && reason === "") {
        expect((await fetch(stop, { method: "POST" })).status).toBe(202);
      }
    }
    expect({ text, reason }).toEqual({ text: "Once upon a time", reason: "cancelled" });
    expect(await provider.requests[0]?.closed).toBe("gone");
    expect((await fetch(stop, { method: "POST" })).status).toBe(404);
  });

  it("tells the browser when the provider fails", async () => {
    const provider = await openProvider({ status: 401, body: { error: { message: "No such key" } } });
    const url = await startRoute(provider.baseUrl);
    expect(await readAll(readEvents(await ask(url, "Hello")))).toEqual({ text: "", reason: "error_termination" });
  });
});
