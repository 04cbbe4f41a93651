import type { GenerationRequest } from "fullstop";
import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { RefusedStreams } from "../../src/models/refused-streams.ts";
import { CLIENTS } from "../support/clients.ts";
import { ASKED_DIALECTS, DIALECTS } from "../support/dialects.ts";
import { openScripted } from "../support/scripted.ts";
import type { Reply } from "../support/upstream.ts";

/** What OpenAI says to an organisation that it has not verified. */
const UNVERIFIED: Reply = {
  status: 400,
  body: {
    error: {
      message: "Your organization must be verified to stream this model.",
      type: "invalid_request_error",
      param: "stream",
      code: "unsupported_value",
    },
  },
};

const ANSWER = [start(), text("Hello, "), text("wörld"), usage(9, 4), finish()];

/** Answers whoever wants it whole, and nobody else. */
const wholeOnly = ({ stream }: GenerationRequest): Reply => (stream === true ? UNVERIFIED : { whole: ANSWER });

const gateway = await openScripted({
  models: {
    "openai-chat/known": { streams: false },
    named: { provider: "openai-responses", model: "known", streams: false },
  },
});
const streamsAsked = (dialect: (typeof ASKED_DIALECTS)[number], model: string): readonly unknown[] =>
  gateway.upstreams[dialect].requests
    .filter(({ request }) => request.model === model)
    .map(({ request }) => request.stream ?? false);

describe.each(ASKED_DIALECTS)("a model that refuses to be streamed in %s", (dialect) => {
  const ask = CLIENTS["openai-chat"](gateway.url);

  it("is asked for a whole answer, and at once the next time", async () => {
    gateway.script(dialect, wholeOnly);
    for (const stream of [true, false]) {
      const told = await ask({ model: `${dialect}/shy`, stream });
      expect(told).toMatchObject({ text: "Hello, wörld", finish: "stop", usage: { input: 9, output: 4 } });
    }
    expect(streamsAsked(dialect, "shy")).toEqual([true, false, false]);
  });

  it("is ended by stop strings all the same, at the price of all of it", async () => {
    gateway.script(dialect, wholeOnly);
    const told = await ask({ model: `${dialect}/strict`, stream: true, stop: [", "] });
    expect(told).toMatchObject({ text: "Hello", usage: { input: 9, output: 4 } });
    expect(told.fullstop).toMatchObject({ reason: "stop_sequence", stopSequence: ", " });
  });

  it("is not asked a third time, and its words are told", async () => {
    gateway.script(dialect, () => UNVERIFIED);
    const refusal = { message: expect.stringMatching(/must be verified to stream/u) as string, param: "stream" };
    await expect(ask({ model: `${dialect}/stubborn`, stream: true })).rejects.toMatchObject(refusal);
    expect(streamsAsked(dialect, "stubborn")).toEqual([true, false]);
  });
});

describe("a stream that is refused", () => {
  it.each(DIALECTS)("comes as a stream of the whole answer to a client of %s", async (dialect) => {
    gateway.script("openai-chat", wholeOnly);
    const told = await CLIENTS[dialect](gateway.url)({ model: `openai-chat/for-${dialect}`, stream: true });
    expect(told).toMatchObject({ text: "Hello, wörld", usage: { input: 9, output: 4 } });
  });

  it.each([
    ["in a sentence alone", "litellm.BadRequestError: 'stream' does not support true with this model.", 2],
    ["for what is another word", "The streamliner is closed.", 1],
    ["for nothing of the kind", "The upstream is closed.", 1],
  ])("is told from other refusals: %s", async (name, message, requests) => {
    gateway.script("openai-chat", { status: 400, body: { error: { message } } });
    const model = `refused ${name}`;
    await expect(CLIENTS["openai-chat"](gateway.url)({ model: `openai-chat/${model}`, stream: true })).rejects.toThrow(
      message,
    );
    expect(streamsAsked("openai-chat", model)).toHaveLength(requests);
  });

  it("is asked for again after a while", () => {
    let now = 0;
    const refused = new RefusedStreams(() => now);
    refused.add("shy", "whole");
    expect([refused.wayOf("shy"), refused.wayOf("bold")]).toEqual(["whole", undefined]);
    now = 15 * 60_000;
    expect(refused.wayOf("shy")).toBeUndefined();
  });
});

describe("a server that refuses the question for the counts of a stream", () => {
  const ask = CLIENTS["openai-chat"](gateway.url);
  const optionsAsked = (model: string): readonly (readonly unknown[])[] =>
    gateway.upstreams["openai-chat"].requests
      .filter(({ request }) => request.model === model)
      .map(({ body }) => [body["stream"], body["stream_options"]]);

  it.each<[string, number, object]>([
    ["in a sentence", 400, { error_code: "BAD_REQUEST", message: "stream_options: Extra inputs are not permitted" }],
    ["as OpenAI does", 400, { error: { message: "No such parameter.", param: "stream_options", code: null } }],
    ["by its place", 422, { detail: [{ type: "extra_forbidden", loc: ["body", "stream_options"], msg: "Extra" }] }],
  ])("is asked for a stream without them: %s", async (name, status, body) => {
    gateway.script("openai-chat", ({ streamUsage }) =>
      streamUsage === true ? { status, body } : [start(), text("Hello, "), text("wörld"), finish()],
    );
    const model = `strict ${name}`;
    for (let time = 0; time < 2; time += 1) {
      const told = await ask({ model: `openai-chat/${model}`, stream: true });
      expect(told).toMatchObject({ text: "Hello, wörld", finish: "stop", usage: { output: 3 } });
    }
    const wish = { include_usage: true };
    expect(optionsAsked(model)).toEqual([
      [true, wish],
      [true, undefined],
      [true, undefined],
    ]);
  });

  it("is asked for a whole answer where it refuses the stream as well", async () => {
    const words = { error: { message: "stream_options is not allowed" } };
    gateway.script("openai-chat", ({ stream, streamUsage }) => {
      if (streamUsage === true) return { status: 400, body: words };
      return stream === true ? { status: 403, body: { message: "Streaming is not allowed." } } : { whole: ANSWER };
    });
    const told = await ask({ model: "openai-chat/strictest", stream: true });
    expect(told).toMatchObject({ text: "Hello, wörld", usage: { input: 9, output: 4 } });
    expect(optionsAsked("strictest").map(([stream]) => stream)).toEqual([true, true, false]);
  });
});

describe("a model whose configuration wants whole answers", () => {
  it.each([
    ["openai-chat/known", "openai-chat"],
    ["named", "openai-responses"],
  ] as const)("is never asked for a stream: %s", async (model, dialect) => {
    gateway.script(dialect, wholeOnly);
    const told = await CLIENTS["openai-chat"](gateway.url)({ model, stream: true });
    expect(told).toMatchObject({ text: "Hello, wörld", finish: "stop" });
    expect(streamsAsked(dialect, "known")).toEqual([false]);
  });
});

describe("a provider whose configuration wants whole answers", async () => {
  const whole = await openScripted({}, { streams: false });

  it("is never asked for a stream", async () => {
    whole.script("gemini", wholeOnly);
    const told = await CLIENTS["anthropic-messages"](whole.url)({ model: "gemini/any", stream: true });
    expect(told).toMatchObject({ text: "Hello, wörld", usage: { input: 9, output: 4 } });
    expect(whole.upstreams.gemini.requests.map(({ request }) => request.stream)).toEqual([false]);
  });
});
