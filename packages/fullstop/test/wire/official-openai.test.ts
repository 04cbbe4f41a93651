import OpenAI, { APIError, AuthenticationError, InternalServerError, RateLimitError } from "openai";
import { describe, expect, it } from "vitest";
import type { GenerationEvent, TerminationReason } from "../../src/index.ts";
import { unwrapSignature } from "../../src/wire/signatures.ts";
import {
  call,
  callDelta,
  callEnd,
  callStart,
  finish,
  opaque,
  reasoning,
  redacted,
  serve,
  signature,
  start,
  text,
  usage,
} from "../support/official.ts";

const done = finish("natural_completion");
const spoken = [start, text("Hello, "), text("wörld"), usage({ inputTokens: 9, outputTokens: 4, reasoningTokens: 1 })];
const calls = [
  start,
  text("Let me look."),
  ...call("call_1", "weather", '{"city":"Berlin"}'),
  ...call("call_2", "weather", '{"city":"Oslo"}'),
  finish("tool_calls"),
];
const thinking = [start, reasoning("Two and "), reasoning("two."), signature("proof"), text("Four."), done];
const overloaded = finish("error_termination", { message: "Too busy", originalValue: "overloaded_error" });

function connect(address: string): OpenAI {
  return new OpenAI({ apiKey: "none", baseURL: `${address}/v1`, maxRetries: 0 });
}

describe("the official client of Chat", () => {
  const asked = { model: "some-model", messages: [{ role: "user" as const, content: "Hi" }] };

  const useChat = <T>(events: readonly GenerationEvent[], use: (client: OpenAI) => Promise<T>): Promise<T> =>
    serve("openai-chat", events, (address) => use(connect(address)));

  it("reads a stream chunk by chunk", async () => {
    const chunks = await useChat([...spoken, done], async (client) => {
      const read: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) read.push(chunk);
      return read;
    });
    expect(chunks[0]).toMatchObject({ id: "gen-1", model: "some-model", object: "chat.completion.chunk" });
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("Hello, wörld");
    expect(chunks.find(({ choices }) => choices[0]?.finish_reason)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 13 } });
  });

  it("collects a stream with its helper", async () => {
    const completion = await useChat([...spoken, done], (client) =>
      client.chat.completions.stream(asked).finalChatCompletion(),
    );
    expect(completion).toMatchObject({
      id: "gen-1",
      choices: [{ finish_reason: "stop", message: { role: "assistant", content: "Hello, wörld" } }],
      usage: { prompt_tokens: 9, completion_tokens: 4, completion_tokens_details: { reasoning_tokens: 1 } },
    });
  });

  it.each(["stream", "whole"])("reads two tool calls, %s", async (way) => {
    const completion = await useChat(calls, (client) =>
      way === "stream"
        ? client.chat.completions.stream(asked).finalChatCompletion()
        : client.chat.completions.create(asked),
    );
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Let me look.",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Berlin"}' } },
          { id: "call_2", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
    });
  });

  it("reads a whole answer, thinking included", async () => {
    const completion = await useChat(thinking, (client) => client.chat.completions.create(asked));
    expect(completion.choices[0]?.message).toMatchObject({ content: "Four.", reasoning_content: "Two and two." });
  });

  it.each([
    ["natural_completion", "stop"],
    ["stop_sequence", "stop"],
    ["token_limit_reached", "length"],
    ["context_window_exceeded", "length"],
    ["tool_calls", "tool_calls"],
    ["content_filtered", "content_filter"],
    ["paused", "length"],
    ["repetition_detected", "length"],
    ["budget_exceeded", "length"],
    ["cancelled", "stop"],
    // Its helper refuses a stream without a word, and an unknown ending must not look like a success.
    ["unknown", "length"],
  ] as const)("reads %s as %s in both ways", async (reason, word) => {
    await useChat([start, text("a"), finish(reason)], async (client) => {
      const streamed = await client.chat.completions.stream(asked).finalChatCompletion();
      const whole = await client.chat.completions.create(asked);
      expect([streamed.choices[0]?.finish_reason, whole.choices[0]?.finish_reason]).toEqual([word, word]);
    });
  });

  it("runs a tool that was called without arguments", async () => {
    const bare = [start, callStart("call_1", "now"), callEnd("call_1"), finish("tool_calls")];
    const given: unknown[] = [];
    await useChat(bare, async (client) => {
      const runner = client.chat.completions.runTools(
        {
          ...asked,
          stream: true,
          tools: [
            {
              type: "function",
              function: {
                name: "now",
                description: "",
                parameters: { type: "object", properties: {} },
                parse: (json: string) => JSON.parse(json) as object,
                function: (input: object) => void given.push(input),
              },
            },
          ],
        },
        { maxChatCompletions: 1 },
      );
      await runner.done();
    });
    expect(given).toEqual([{}]);
  });

  it.each(["stream", "whole"])("keeps the signature of Gemini's call, %s", async (way) => {
    const signed = [
      start,
      callStart("call_1", "weather"),
      callDelta("call_1", "{}"),
      callEnd("call_1", { signature: "proof", signedBy: "gemini" }),
      finish("tool_calls"),
    ];
    const completion = await useChat(signed, (client) =>
      way === "stream"
        ? client.chat.completions.stream(asked).finalChatCompletion()
        : client.chat.completions.create(asked),
    );
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      {
        id: "call_1",
        function: { name: "weather", arguments: "{}" },
        extra_content: { google: { thought_signature: "proof" } },
      },
    ]);
  });

  it("throws at an error in the middle of a stream, after the text before it", async () => {
    await useChat([start, text("Half"), overloaded], async (client) => {
      let seen = "";
      const read = async (): Promise<void> => {
        const stream = await client.chat.completions.create({ ...asked, stream: true });
        for await (const chunk of stream) seen += chunk.choices[0]?.delta.content ?? "";
      };
      await expect(read()).rejects.toMatchObject({ message: "Too busy", type: "overloaded_error" });
      expect(seen).toBe("Half");
      await expect(client.chat.completions.stream(asked).finalChatCompletion()).rejects.toThrow("Too busy");
    });
  });

  it.each([
    { parts: { metadata: { status: 429 } }, error: RateLimitError, type: "rate_limit_error" },
    { parts: { metadata: { status: 401 } }, error: AuthenticationError, type: "invalid_request_error" },
    { parts: { detail: "truncated" }, error: InternalServerError, type: "server_error" },
  ])("throws its own error for $parts", async ({ parts, error, type }) => {
    const failed = finish("error_termination", { message: "No luck", ...parts });
    await useChat([start, text("Half"), failed], async (client) => {
      const thrown: unknown = await client.chat.completions.create(asked).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(error);
      expect(thrown).toBeInstanceOf(APIError);
      expect(thrown).toMatchObject({ type });
    });
  });
});

describe("the official client of Responses", () => {
  const asked = { model: "some-model", input: "Hi" };

  const useResponses = <T>(events: readonly GenerationEvent[], use: (client: OpenAI) => Promise<T>): Promise<T> =>
    serve("openai-responses", events, (address) => use(connect(address)));

  it("reads a stream event by event", async () => {
    const events = await useResponses([...spoken, done], async (client) => {
      const read: OpenAI.Responses.ResponseStreamEvent[] = [];
      for await (const event of await client.responses.create({ ...asked, stream: true })) read.push(event);
      return read;
    });
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("")).toBe(
      "Hello, wörld",
    );
  });

  it("collects a stream with its helper", async () => {
    const snapshots: string[] = [];
    const response = await useResponses([...spoken, done], (client) =>
      client.responses
        .stream(asked)
        .on("response.output_text.delta", ({ snapshot }) => void snapshots.push(snapshot))
        .finalResponse(),
    );
    expect(snapshots).toEqual(["Hello, ", "Hello, wörld"]);
    expect(response).toMatchObject({
      id: "gen-1",
      status: "completed",
      output_text: "Hello, wörld",
      usage: { input_tokens: 9, output_tokens: 4, output_tokens_details: { reasoning_tokens: 1 } },
    });
  });

  it.each(["stream", "whole"])("reads two tool calls, %s", async (way) => {
    const response = await useResponses(calls, (client) =>
      way === "stream" ? client.responses.stream(asked).finalResponse() : client.responses.create(asked),
    );
    expect(response.output).toMatchObject([
      { type: "message", status: "completed", content: [{ type: "output_text", text: "Let me look." }] },
      {
        type: "function_call",
        status: "completed",
        call_id: "call_1",
        name: "weather",
        arguments: '{"city":"Berlin"}',
      },
      { type: "function_call", status: "completed", call_id: "call_2", name: "weather", arguments: '{"city":"Oslo"}' },
    ]);
  });

  it.each(["stream", "whole"])("reads thinking, %s", async (way) => {
    const response = await useResponses(thinking, (client) =>
      way === "stream" ? client.responses.stream(asked).finalResponse() : client.responses.create(asked),
    );
    expect(response.output_text).toBe("Four.");
    expect(response.output[0]).toMatchObject({
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Two and two." }],
      encrypted_content: "proof",
    });
  });

  const ENDINGS: Readonly<Record<TerminationReason, readonly [status: string, reason: string | undefined]>> = {
    natural_completion: ["completed", undefined],
    stop_sequence: ["completed", undefined],
    token_limit_reached: ["incomplete", "max_output_tokens"],
    context_window_exceeded: ["incomplete", "max_output_tokens"],
    tool_calls: ["completed", undefined],
    content_filtered: ["incomplete", "content_filter"],
    paused: ["incomplete", "steered"],
    repetition_detected: ["incomplete", "max_output_tokens"],
    budget_exceeded: ["incomplete", "max_output_tokens"],
    cancelled: ["cancelled", "cancelled"],
    error_termination: ["failed", undefined],
    unknown: ["incomplete", "unknown"],
  };

  it.each(Object.entries(ENDINGS))("reads %s as %s in both ways", async (reason, ending) => {
    await useResponses([start, text("a"), finish(reason as TerminationReason)], async (client) => {
      const streamed = await client.responses.stream(asked).finalResponse();
      const whole = await client.responses.create(asked);
      for (const { status, incomplete_details: details, output_text: shown } of [streamed, whole]) {
        expect([status, details?.reason, shown]).toEqual([...ending, "a"]);
      }
    });
  });

  it("reads an error in the middle of a stream as a failed response that keeps its text", async () => {
    const limited = finish("error_termination", { message: "Too fast", metadata: { status: 429 } });
    await useResponses([start, text("Half"), limited], async (client) => {
      for (const response of [
        await client.responses.stream(asked).finalResponse(),
        await client.responses.create(asked),
      ]) {
        expect(response).toMatchObject({
          status: "failed",
          error: { code: "rate_limit_exceeded", message: "Too fast" },
          output_text: "Half",
        });
      }
    });
  });

  it.each([
    { parts: { metadata: { status: 429 } }, error: RateLimitError, type: "rate_limit_error" },
    { parts: { metadata: { status: 401 } }, error: AuthenticationError, type: "invalid_request_error" },
    { parts: { detail: "truncated" }, error: InternalServerError, type: "server_error" },
  ])("throws its own error for $parts before any output", async ({ parts, error, type }) => {
    const failed = finish("error_termination", { message: "No luck", ...parts });
    await useResponses([failed], async (client) => {
      const thrown: unknown = await client.responses.create(asked).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(error);
      expect(thrown).toMatchObject({ type });
    });
  });

  it.each(["stream", "whole"])("reads what a hosted tool has done, %s", async (way) => {
    const hosted = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } };
    const response = await useResponses([start, opaque("openai-responses", hosted), text("Hi"), done], (client) =>
      way === "stream" ? client.responses.stream(asked).finalResponse() : client.responses.create(asked),
    );
    expect(response.output).toMatchObject([hosted, { type: "message" }]);
    expect(response.output_text).toBe("Hi");
  });

  it.each(["stream", "whole"])("keeps thinking that another provider withholds, %s", async (way) => {
    const response = await useResponses([start, redacted("sealed", "anthropic-messages"), text("4"), done], (client) =>
      way === "stream" ? client.responses.stream(asked).finalResponse() : client.responses.create(asked),
    );
    const [item] = response.output;
    if (item?.type !== "reasoning") throw new Error("there is no thinking");
    expect(item.id).toMatch(/^rs_redacted_/u);
    expect(unwrapSignature(item.encrypted_content ?? "", "openai-responses")).toEqual({
      signature: "sealed",
      signedBy: "anthropic-messages",
    });
  });

  it("reads an error that comes before anything else", async () => {
    const response = await useResponses([overloaded], (client) => client.responses.stream(asked).finalResponse());
    expect(response).toMatchObject({ status: "failed", error: { message: "Too busy" }, output: [] });
  });
});
