import Anthropic, { APIError, AuthenticationError, InternalServerError, RateLimitError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import type { GenerationEvent, TerminationReason } from "../../src/index.ts";
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

const asked = {
  model: "some-model",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Hi" }],
};

const done = finish("natural_completion");
const counts = usage({ inputTokens: 9, outputTokens: 4, cachedInputTokens: 5, reasoningTokens: 1 });
const overloaded = finish("error_termination", { message: "Too busy", originalValue: "overloaded_error" });

function use<T>(events: readonly GenerationEvent[], ask: (client: Anthropic) => Promise<T>): Promise<T> {
  return serve("anthropic-messages", events, (address) =>
    ask(new Anthropic({ apiKey: "none", baseURL: address, maxRetries: 0 })),
  );
}

/** The same answer as a stream and as a whole. */
function readBoth(events: readonly GenerationEvent[]): Promise<readonly Anthropic.Message[]> {
  return use(events, async (client) => [
    await client.messages.stream(asked).finalMessage(),
    await client.messages.create(asked),
  ]);
}

describe("the official client of Messages", () => {
  it("reads a stream event by event", async () => {
    const events = await use([start, text("Hello, "), text("wörld"), counts, done], async (client) => {
      const read: Anthropic.RawMessageStreamEvent[] = [];
      for await (const event of await client.messages.create({ ...asked, stream: true })) read.push(event);
      return read;
    });
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  it("reads text and token counts", async () => {
    for (const message of await readBoth([start, text("Hello, "), text("wörld"), counts, done])) {
      expect(message).toMatchObject({
        id: "gen-1",
        type: "message",
        role: "assistant",
        model: "some-model",
        content: [{ type: "text", text: "Hello, wörld" }],
        stop_reason: "end_turn",
        usage: {
          input_tokens: 4,
          cache_read_input_tokens: 5,
          output_tokens: 4,
          output_tokens_details: { thinking_tokens: 1 },
        },
      });
    }
  });

  it("tells its listeners each piece of text", async () => {
    const pieces: string[] = [];
    await use([start, text("Hello, "), text("wörld"), done], (client) =>
      client.messages
        .stream(asked)
        .on("text", (piece) => void pieces.push(piece))
        .finalMessage(),
    );
    expect(pieces).toEqual(["Hello, ", "wörld"]);
  });

  it("reads thinking, shown and hidden", async () => {
    const events = [start, reasoning("Two "), reasoning("and two."), signature("proof"), redacted("sealed"), text("4")];
    for (const message of await readBoth([...events, done])) {
      expect(message.content).toMatchObject([
        { type: "thinking", thinking: "Two and two.", signature: "proof" },
        { type: "redacted_thinking", data: "sealed" },
        { type: "text", text: "4" },
      ]);
    }
  });

  it("reads one tool call", async () => {
    for (const message of await readBoth([start, ...call("a", "weather", '{"city":"Oslo"}'), finish("tool_calls")])) {
      expect(message).toMatchObject({
        stop_reason: "tool_use",
        content: [{ type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } }],
      });
    }
  });

  it("reads a tool call without arguments", async () => {
    for (const message of await readBoth([start, callStart("a", "now"), callEnd("a"), finish("tool_calls")])) {
      expect(message.content).toMatchObject([{ type: "tool_use", id: "a", name: "now", input: {} }]);
    }
  });

  it("reads what the server's tools have done, to send it back", async () => {
    const search = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "news" } };
    const found = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] };
    const blocks = [search, found].map((block) => opaque("anthropic-messages", block));
    for (const message of await readBoth([start, ...blocks, finish("paused")])) {
      expect(JSON.parse(JSON.stringify(message.content))).toEqual([search, found]);
      expect(message.stop_reason).toBe("pause_turn");
    }
  });

  it("reads two tool calls that were written at the same time", async () => {
    const events = [
      start,
      text("Let me look."),
      callStart("a", "weather"),
      callStart("b", "time"),
      callDelta("b", '{"zone":'),
      callDelta("a", '{"city":'),
      callDelta("b", '"CET"}'),
      callEnd("b"),
      callDelta("a", '"Oslo"}'),
      callEnd("a"),
      finish("tool_calls"),
    ];
    for (const message of await readBoth(events)) {
      expect(message.content).toMatchObject([
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } },
        { type: "tool_use", id: "b", name: "time", input: { zone: "CET" } },
      ]);
    }
  });

  const STOPS: Readonly<Record<Exclude<TerminationReason, "error_termination">, string | null>> = {
    natural_completion: "end_turn",
    stop_sequence: "stop_sequence",
    token_limit_reached: "max_tokens",
    context_window_exceeded: "model_context_window_exceeded",
    tool_calls: "tool_use",
    content_filtered: "refusal",
    paused: "pause_turn",
    repetition_detected: "max_tokens",
    budget_exceeded: "max_tokens",
    cancelled: "end_turn",
    unknown: null,
  };

  it.each(Object.entries(STOPS))("reads %s as %s", async (reason, word) => {
    for (const message of await readBoth([start, text("a"), finish(reason as TerminationReason)])) {
      expect(message.stop_reason).toBe(word);
    }
  });

  it("reads which stop string has matched", async () => {
    for (const message of await readBoth([start, text("a"), finish("stop_sequence", { stopSequence: "###" })])) {
      expect(message.stop_sequence).toBe("###");
    }
  });

  it("throws at an error in the middle of a stream, after the text before it", async () => {
    await use([start, text("Half"), overloaded], async (client) => {
      let seen = "";
      const read = async (): Promise<void> => {
        for await (const event of await client.messages.create({ ...asked, stream: true })) {
          if (event.type === "content_block_delta" && event.delta.type === "text_delta") seen += event.delta.text;
        }
      };
      await expect(read()).rejects.toMatchObject({ type: "overloaded_error" });
      expect(seen).toBe("Half");
      await expect(client.messages.stream(asked).finalMessage()).rejects.toThrow("Too busy");
    });
  });

  it("throws at an error that comes before anything else", async () => {
    await use([overloaded], async (client) => {
      await expect(client.messages.stream(asked).finalMessage()).rejects.toThrow("Too busy");
    });
  });

  it.each([
    { parts: { metadata: { status: 429 } }, error: RateLimitError, type: "rate_limit_error", status: 429 },
    { parts: { metadata: { status: 401 } }, error: AuthenticationError, type: "authentication_error", status: 401 },
    { parts: { metadata: { status: 529 } }, error: InternalServerError, type: "overloaded_error", status: 529 },
    { parts: { metadata: { status: 503 } }, error: InternalServerError, type: "overloaded_error", status: 503 },
    { parts: { detail: "overloaded" }, error: InternalServerError, type: "overloaded_error", status: 529 },
    { parts: { detail: "truncated" }, error: InternalServerError, type: "api_error", status: 502 },
  ])("throws its own error for $parts", async ({ parts, error, type, status }) => {
    await use([start, finish("error_termination", { message: "No luck", ...parts })], async (client) => {
      const thrown: unknown = await client.messages.create(asked).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(error);
      expect(thrown).toBeInstanceOf(APIError);
      expect(thrown).toMatchObject({ status, error: { error: { type, message: "No luck" } } });
    });
  });

  it.each([
    { metadata: { code: "organization_on_hold" }, errorCode: "organization_on_hold" },
    { metadata: { code: "502" }, errorCode: null },
    { metadata: { type: "invalid_request_error" }, errorCode: null },
  ])("says as the cause of an error with $metadata: $errorCode", async ({ metadata, errorCode }) => {
    await use([start, finish("error_termination", { message: "No luck", metadata })], async (client) => {
      await expect(client.messages.create(asked)).rejects.toMatchObject({ errorCode });
      await expect(client.messages.stream(asked).finalMessage()).rejects.toMatchObject({ errorCode });
    });
  });
});
