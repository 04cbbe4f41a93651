import type { ServerResponse } from "node:http";
import type { GenerationEvent, GenerationRequest, Message } from "fullstop";
import { createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { parseConfig } from "../../src/config/config.ts";
import { buildHouse } from "../../src/config/build-house.ts";
import type { LiveGeneration } from "../../src/generations/live-generation.ts";
import { CLIENTS } from "../support/clients.ts";
import { ASKED_DIALECTS } from "../support/dialects.ts";
import { get, openGatewayForFile, post, readFrames, whenWriting } from "../support/gateway.ts";
import type { Gateway } from "../support/gateway.ts";
import { openPlainServer, sendJson } from "../support/plain-server.ts";
import { askRaw } from "../support/raw.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();

const isThoughtless = ({ reasoning: wish = {} }: GenerationRequest): boolean =>
  wish.effort === "none" || wish.budgetTokens === 0;

const lastText = (messages: readonly Message[]): string => {
  const part = messages.at(-1)?.content.at(-1);
  return part?.type === "text" ? part.text : "";
};

const skip = ({ url }: Gateway, id: string) => post(`${url}/v1/generations/${id}/stop`, { mode: "skip-thinking" });

async function eventsOf({ url }: Gateway, id: string): Promise<readonly GenerationEvent[]> {
  const response = await fetch(`${url}/v1/generations/${id}/events`);
  const events: GenerationEvent[] = [];
  for await (const { data } of readFrames(response)) events.push(JSON.parse(data) as GenerationEvent);
  return events;
}

/** Waits until a generation has thought so much. */
async function whenThought({ log }: LiveGeneration, thinking: string): Promise<void> {
  let seen = 0;
  for await (const batch of log.follow(0)) {
    for (const event of batch) if (event.type === "reasoning") seen += event.text.length;
    if (seen >= thinking.length) return;
  }
}

describe.each(ASKED_DIALECTS)("thinking that is skipped on a provider of %s", (dialect) => {
  const { requests } = gateway.upstreams[dialect];
  const model = `${dialect}/any-model`;

  /** Lets the model think so far, and skips the rest of it. */
  async function skipAfter(thoughts: readonly string[], more: object) {
    const gate = createGate();
    const script = [start(), ...thoughts.map((each) => reasoning(each)), gate.pass, text("Late"), finish()];
    gateway.script(dialect, (request) =>
      isThoughtless(request) ? [start(), text("42"), usage(9, 1), finish()] : script,
    );
    const told = askRaw(gateway.url, "openai-chat", {
      model,
      stream: true,
      more: { reasoning_effort: "high", ...more },
    });
    await gate.reached;
    const generation = thoughts.length === 0 ? gateway.house.generations.live()[0]! : await whenWriting(gateway);
    await whenThought(generation, thoughts.join(""));
    expect(await skip(gateway, generation.id)).toMatchObject({ body: { result: "stopped" } });
    const answer = await told;
    gate.open();
    return { answer, id: generation.id, asked: requests.at(-1)!.request, askedFirst: requests.at(-2)!.request };
  }

  it("goes along as a note with the request for an answer without any", async () => {
    const { answer, asked, askedFirst } = await skipAfter(["Six times ", "seven is"], {});
    expect(answer.text).toContain('"content":"42"');
    expect(isThoughtless(asked)).toBe(true);
    expect(asked.messages).toHaveLength(1);
    // A message to Ollama is one text.
    const content = dialect === "ollama-chat" ? [{ type: "text" }] : [{ text: "Hi" }, { type: "text" }];
    expect(asked.messages[0]).toMatchObject({ role: "user", content });
    expect(lastText(asked.messages)).toContain("Six times seven is");
    expect(JSON.stringify(askedFirst)).not.toContain("seven");
  });

  it("is a note of its own where the user has not spoken last", async () => {
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "7 degrees" },
    ];
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
    const { answer, asked } = await skipAfter(["Cold, it is"], { messages, tools });
    expect(answer.text).toContain('"content":"42"');
    expect(asked.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(lastText(asked.messages)).toContain("Cold, it is");
  });

  it("is shortened to its end where it is long", async () => {
    const { asked } = await skipAfter(["The beginning. ", "🙂 and so on ".repeat(2000), "the end"], {});
    const note = lastText(asked.messages);
    expect(note.length).toBeLessThan(8500);
    expect(note).toContain("and so on the end");
    expect(note).not.toContain("The beginning");
    expect(note.isWellFormed()).toBe(true);
  });

  it.each([1, 2, 3])(
    "is asked to be short by a model that cannot do without, which refuses %i times",
    async (times) => {
      const gate = createGate();
      let count = 0;
      gateway.script(dialect, () => {
        count += 1;
        if (count === 1) return [start(), reasoning("Hm, "), gate.pass, text("Late"), finish()];
        const error = { message: "Unsupported value", type: "invalid_request_error" };
        return count <= 1 + times ? { status: 400, body: { error } } : [start(), text("42"), usage(9, 1), finish()];
      });
      const told = askRaw(gateway.url, "openai-chat", { model, stream: true });
      await gate.reached;
      const generation = await whenWriting(gateway);
      await whenThought(generation, "Hm, ");
      expect(await skip(gateway, generation.id)).toMatchObject({ body: { result: "stopped" } });
      const answer = await told;
      gate.open();
      expect(count).toBe(times === 3 ? 4 : 2 + times);
      if (times === 3) {
        expect(answer.text).toContain("Unsupported value");
        expect(answer.text).not.toContain('"content":"42"');
      } else {
        expect(answer.text).toContain('"content":"42"');
        expect(answer.fullstop).toMatchObject({ reason: "natural_completion", skippedThinking: true });
      }
      const [least, nothing] = requests.slice(-count).slice(2);
      const word = dialect === "gemini" ? '"thinkingBudget":128' : '"low"';
      expect(JSON.stringify(least?.body)).toContain(word);
      expect(JSON.stringify(nothing?.body) ?? "").not.toMatch(/effort|thinking(?:Budget|Level)/u);
    },
  );

  it("leaves the request as it was where there was none yet", async () => {
    const { asked, askedFirst } = await skipAfter([], {});
    expect(asked.messages).toEqual(askedFirst.messages);
  });

  it("is told to whoever reads the events or the stream, and cannot be skipped twice", async () => {
    const { answer, id } = await skipAfter(["Six times ", "seven is"], {});
    expect(answer.fullstop).toMatchObject({ reason: "natural_completion", skippedThinking: true });
    // Some providers count their tokens in between.
    const events = (await eventsOf(gateway, id)).filter(({ type }) => type !== "usage");
    expect(events.map(({ type }) => type)).toEqual(["start", "reasoning", "reasoning", "reasoning", "text", "finish"]);
    expect(events[3]).toEqual({ type: "reasoning", text: "", skipped: true });
    expect(events.at(-1)).toMatchObject({ signal: { skippedThinking: true } });
    expect(await get(`${gateway.url}/v1/generations/${id}`)).toMatchObject({
      body: { signal: { skippedThinking: true }, reasoning: "Six times seven is", text: "42" },
    });
    expect(await skip(gateway, id)).toMatchObject({ body: { result: "already_finished" } });
  });
});

describe("a second request for the answer without thinking", () => {
  it("is not made", async () => {
    const gates = [createGate(), createGate()];
    let count = 0;
    gateway.script("openai-chat", () => {
      const gate = gates[count]!;
      count += 1;
      return [start(), reasoning("Hm"), gate.pass, text("42"), finish()];
    });
    const told = askRaw(gateway.url, "openai-chat", { model: "openai-chat/any-model", stream: true });
    await gates[0]!.reached;
    const { id } = await whenWriting(gateway);
    expect(await skip(gateway, id)).toMatchObject({ body: { result: "stopped" } });
    await gates[1]!.reached;
    expect(await skip(gateway, id)).toMatchObject({ body: { result: "not_thinking" } });
    gates[1]!.open();
    expect((await told).text).toContain('"content":"42"');
    expect(count).toBe(2);
    gates[0]!.open();
  });
});

describe("a model that is asked instead of one whose thinking was skipped", async () => {
  const fallback = await openScripted({ fallbacks: { "openai-chat/any-model": ["anthropic-messages/other-model"] } });

  it("is asked for an answer without thinking, too, in words that it takes, and once more if it thinks", async () => {
    const [gate, thinking] = [createGate(), createGate()];
    fallback.script("openai-chat", (request) =>
      isThoughtless(request) ? { status: 500, body: { error: { message: "Broken" } } } : [gate.pass],
    );
    const other = fallback.upstreams["anthropic-messages"].requests;
    fallback.script("anthropic-messages", () => {
      if (other.length === 1) {
        return { status: 400, body: { error: { message: "Unsupported value", type: "invalid_request_error" } } };
      }
      const answer = [text("42"), usage(9, 1), finish()];
      return other.length === 2 ? [start(), reasoning("Hm"), thinking.pass, ...answer] : [start(), ...answer];
    });
    const model = "openai-chat/any-model";
    const told = askRaw(fallback.url, "openai-chat", { model, stream: true, more: { reasoning_effort: "high" } });
    await gate.reached;
    const generation = fallback.house.generations.live()[0]!;
    expect(await skip(fallback, generation.id)).toMatchObject({ body: { result: "stopped" } });
    await whenThought(generation, "Hm");
    expect(await skip(fallback, generation.id)).toMatchObject({ body: { result: "stopped" } });
    const answer = await told;
    gate.open();
    thinking.open();
    expect(answer.text).toContain('"content":"42"');
    expect(answer.fullstop).toMatchObject({ reason: "natural_completion", skippedThinking: true });
    expect(other).toHaveLength(3);
    expect(isThoughtless(other[0]!.request)).toBe(true);
    expect(JSON.stringify(other[1]!.body)).not.toContain('"high"');
    expect(lastText(other[2]!.request.messages)).toContain("Hm");
  });
});

describe("a llama.cpp server", async () => {
  const KEY = "quiet-harbour-1729";
  /** What its control does in a test. */
  let control: (response: ServerResponse) => void = () => undefined;
  let thinkingEnds = createGate();
  const server = await openPlainServer(async ({ path, body }, response) => {
    if (path === "/v1/chat/completions/control") {
      control(response);
      return;
    }
    const write = (delta: object, more: object = {}, reason: string | null = null): void => {
      const choices = [{ index: 0, delta, finish_reason: reason }];
      const chunk = { id: "chatcmpl-7", object: "chat.completion.chunk", model: "tiny", choices, ...more };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (body["reasoning_effort"] !== "none") {
      write({ reasoning_content: "Well, " });
      await thinkingEnds.pass();
    }
    write({ content: "42" });
    write({}, { usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }, "stop");
    response.end("data: [DONE]\n\n");
  });
  const provider = { baseUrl: `${server.url}/v1/`, apiKeyEnv: "LLAMA_KEY", control: "llama.cpp" };
  const house = await openGatewayForFile(
    { providers: { llama: provider }, models: { large: { provider: "llama", model: "tiny" } } },
    { LLAMA_KEY: KEY },
  );

  async function skipOn(model: string) {
    thinkingEnds = createGate();
    const before = server.requests.length;
    const told = CLIENTS["openai-chat"](house.url)({ model, stream: true, think: true });
    await thinkingEnds.reached;
    const { id } = await whenWriting(house);
    const receipt = await skip(house, id);
    return { receipt, told: await told, id, requests: server.requests.slice(before) };
  }

  it.each(["large", "llama/tiny"])("is told to end its thinking within the same answer: %s", async (model) => {
    control = (response) => {
      sendJson(response, 200, { success: true });
      thinkingEnds.open();
    };
    const { receipt, told, id, requests } = await skipOn(model);
    expect(receipt).toMatchObject({ body: { result: "stopped" } });
    expect(told).toMatchObject({ reasoning: "Well, ", text: "42", usage: { input: 9, output: 4 } });
    expect(told.fullstop).toMatchObject({ reason: "natural_completion", skippedThinking: true });
    expect(told.fullstop).not.toHaveProperty("unshown");
    expect(requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/chat/completions/control"]);
    expect(requests[0]!.body).toMatchObject({ model: "tiny", reasoning_control: true });
    expect(requests[1]!.body).toEqual({ id: "chatcmpl-7", model: "tiny", action: "reasoning_end" });
    expect(requests[1]!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect((await eventsOf(house, id)).filter((event) => "skipped" in event)).toHaveLength(1);
  });

  it.each([
    ["says that it did not", (response) => sendJson(response, 200, { success: false, message: "not found" })],
    ["knows of no control", (response) => sendJson(response, 404, { error: { code: 404, message: "File Not Found" } })],
    ["hangs up", (response) => response.destroy()],
    ["says what nobody understands", (response) => response.end("<h1>Oops</h1>")],
  ] satisfies readonly [string, typeof control][])("is asked again where it %s", async (_, behaviour) => {
    control = behaviour;
    const { receipt, told, requests } = await skipOn("large");
    expect(receipt).toMatchObject({ body: { result: "stopped" } });
    expect(told).toMatchObject({ reasoning: "Well, ", text: "42" });
    expect(requests.map(({ path }) => path)).toEqual([
      "/v1/chat/completions",
      "/v1/chat/completions/control",
      "/v1/chat/completions",
    ]);
    expect(requests[2]!.body).toMatchObject({ reasoning_effort: "none" });
    thinkingEnds.open();
  });

  it("has a control in one dialect only", async () => {
    const config = parseConfig({ providers: { llama: { ...provider, dialect: "gemini" } } });
    await expect(buildHouse(config, { LLAMA_KEY: KEY })).rejects.toThrow(
      new ConfigError("providers.llama: control is for the dialect openai-chat, not for gemini"),
    );
  });
});
