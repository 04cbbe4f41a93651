import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../../src/index.ts";
import { signalOf } from "../../../src/adapters/ai-sdk/index.ts";
import { call, finish, reasoning, signature, text } from "../../support/official.ts";
import type { Reply } from "../../support/provider-server.ts";
import { begin, block, end } from "../support/anthropic-frames.ts";
import { ASKS, counts, done, guard, modelOf, opening, serve } from "../support/models.ts";

const { dialect, create } = modelOf("anthropic-messages");
const paused = finish("paused");

/** How many answers of the turn a request brings back. */
function broughtBack({ messages }: GenerationRequest): number {
  const last = messages.at(-1);
  return last?.role === "assistant" ? last.content.filter(({ type }) => type === "text").length : 0;
}

const inThreeParts = (request: GenerationRequest): Reply => {
  const part = broughtBack(request);
  if (part === 0) return [opening, reasoning("Hm."), signature("proof", dialect), text("One,"), counts, paused];
  return part === 1 ? [opening, text(" two,"), counts, paused] : [opening, text(" three."), counts, done];
};

describe.each(ASKS)("a turn that Anthropic has paused, by $by", ({ ask }) => {
  it("has stopped, to the SDK alone", async () => {
    const { baseUrl } = await serve(dialect, inThreeParts);
    expect(await ask(create(baseUrl))).toMatchObject({ text: "One,", finishReason: "stop" });
  });

  it("goes on by itself, to one answer", async () => {
    const server = await serve(dialect, inThreeParts);
    const { model, calls } = guard(create(server.baseUrl));
    const outcome = await ask(model);
    expect(outcome).toMatchObject({
      text: "One, two, three.",
      reasoning: "Hm.",
      finishReason: "stop",
      rawFinishReason: "end_turn",
      inputTokens: 27,
      outputTokens: 12,
      errors: [],
    });
    expect(calls).toMatchObject([{ resumes: 2, usage: { inputTokens: 27 } }]);
    // Anthropic takes no blanks at the end of what it said, so its provider takes them off.
    expect(server.requests.map(({ request }) => request.messages.slice(1))).toMatchObject([
      [],
      [{ role: "assistant", content: [{ type: "reasoning", text: "Hm.", signature: "proof" }, { text: "One," }] }],
      [{ role: "assistant", content: [{ type: "reasoning" }, { text: "One," }, { text: "two," }] }],
    ]);
  });

  it.each([0, 3])("is sent back %i times at most, and then is no success", async (maxResumes) => {
    const server = await serve(dialect, [opening, text("On and on. "), counts, paused]);
    const { model } = guard(create(server.baseUrl), { maxResumes });
    const outcome = await ask(model);
    expect(server.requests.length).toBe(maxResumes + 1);
    expect(outcome).toMatchObject({ finishReason: "other", rawFinishReason: "pause_turn" });
    expect(outcome.text).toBe("On and on. ".repeat(maxResumes + 1));
    expect(signalOf(outcome.providerMetadata)?.reason).toBe("paused");
  });

  it("ends at a stop string that begins before the pause", async () => {
    const { baseUrl } = await serve(dialect, (request) =>
      broughtBack(request) === 0
        ? [opening, text("42</an"), counts, paused]
        : [opening, text("swer> more"), counts, done],
    );
    const { model, calls } = guard(create(baseUrl), { stop: ["</answer>"] });
    expect((await ask(model)).text).toBe("42");
    expect(calls).toMatchObject([{ signal: { stopSequence: "</answer>" }, resumes: 1 }]);
  });

  it("keeps what came when it cannot be resumed", async () => {
    const { baseUrl } = await serve(dialect, (request) =>
      broughtBack(request) === 0
        ? [opening, text("One,"), counts, paused]
        : { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
    );
    const { model, middleware } = guard(create(baseUrl));
    await ask(model).catch(() => undefined);
    expect(middleware.lastCall).toMatchObject({ text: "One,", signal: { detail: "overloaded" }, resumes: 1 });
  });

  it("is not sent back with calls that wait for their results", async () => {
    const server = await serve(dialect, [opening, ...call("c1", "weather", '{"city":"Oslo"}'), counts, paused]);
    const { model } = guard(create(server.baseUrl));
    await ask(model);
    expect(server.requests.length).toBe(1);
  });
});

const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
const found = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [
    {
      type: "web_search_result",
      url: "https://example.com",
      title: "Example",
      encrypted_content: "sealed",
      page_age: null,
    },
  ],
};

it("brings back searches of Anthropic's own as they were", async () => {
  const server = await serve(dialect, ({ messages }) => {
    const isFirst = messages.at(-1)?.role === "user";
    const query = { type: "input_json_delta", partial_json: '{"query":"full stop"}' };
    const words = (value: string): string =>
      block(isFirst ? 2 : 0, { type: "text", text: "" }, { type: "text_delta", text: value });
    return [
      {
        raw: isFirst
          ? begin + block(0, search, query) + block(1, found) + words("I found ") + end("pause_turn")
          : begin + words("it.") + end("end_turn"),
      },
    ];
  });
  const anthropic = createAnthropic({ apiKey: "none", baseURL: server.baseUrl });
  const { model } = guard(anthropic("some-model"));
  const tools = { web_search: anthropic.tools.webSearch_20250305({}) };
  const whole = await generateText({ model, prompt: "Search", tools, maxRetries: 0 });
  expect(whole).toMatchObject({ text: "I found it.", finishReason: "stop" });
  const { messages } = server.requests[1]!.body as { messages: readonly { role: string; content: unknown }[] };
  expect(messages.at(-1)).toMatchObject({
    role: "assistant",
    content: [{ ...search, input: { query: "full stop" } }, found, { type: "text", text: "I found" }],
  });

  const streamed = streamText({ model, prompt: "Search", tools, maxRetries: 0 });
  const ids: string[] = [];
  for await (const part of streamed.fullStream) if (part.type === "text-start") ids.push(part.id);
  expect(await streamed.text).toBe("I found it.");
  expect(new Set(ids).size).toBe(2);
  expect(server.requests.length).toBe(4);
});

it("is one stream with one beginning, whose blocks have names of their own", async () => {
  const { baseUrl } = await serve(dialect, inThreeParts);
  const { model } = guard(create(baseUrl));
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] });
  const types: string[] = [];
  const ids: string[] = [];
  for await (const part of stream) {
    types.push(part.type);
    if (part.type === "text-start") ids.push(part.id);
  }
  expect(types.filter((type) => type === "stream-start" || type === "finish")).toEqual(["stream-start", "finish"]);
  expect(new Set(ids).size).toBe(3);
});
