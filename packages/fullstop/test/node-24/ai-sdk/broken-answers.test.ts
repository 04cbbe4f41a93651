import { streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BrokenAnswerError, signalOf } from "../../../src/adapters/ai-sdk/index.ts";
import type { GenerationRequest } from "../../../src/index.ts";
import { call, text } from "../../support/official.ts";
import { bodyOf } from "../../support/provider-server.ts";
import type { Reply } from "../../support/provider-server.ts";
import { ASKS, MODELS, counts, done, guard, modelOf, opening, serve } from "../support/models.ts";
import type { Outcome } from "../support/models.ts";

const [{ ask: stream }, { ask: generate }] = ASKS;
const answer = [opening, text("Hello, "), text("world"), counts, done];
const HALF = "Hello, ";

/** How many answers are asked for at a time. */
const SIDE_BY_SIDE = 24;

/** The place of a cut is what the request asks for, so that many can be made at a time. */
function cutAsAsked(by: "end" | "reset"): (request: GenerationRequest) => Reply {
  return ({ messages }) => {
    const [part] = messages.at(-1)?.content ?? [];
    return { steps: answer, by, cutAt: part?.type === "text" ? Number(part.text) : 0 };
  };
}

describe.each(MODELS)("$name", ({ dialect, create }) => {
  it.each(["end", "reset"] as const)(
    "never takes half an answer for a whole one, wherever it breaks off: %s",
    async (by) => {
      const server = await serve(dialect, cutAsAsked(by));
      const cuts = placesToCut(Buffer.from(bodyOf(server.served, answer, true)));
      const size = cuts.length;
      const { model, calls } = guard(create(server.baseUrl), { stop: ["</answer>"] });
      const outcomes = new Map<number, Outcome | undefined>();
      const work = Array.from({ length: SIDE_BY_SIDE }, async () => {
        for (let at = cuts.shift(); at !== undefined; at = cuts.shift()) {
          // Before anything has come of an answer, the SDK throws.
          outcomes.set(at, await stream(model, { prompt: String(at) }).catch(() => undefined));
        }
      });
      await Promise.all(work);
      expect(outcomes.size).toBe(size);
      const given = [...outcomes.values()].filter((outcome) => outcome !== undefined);
      const successes = given.filter(({ finishReason }) => finishReason === "stop");
      expect(successes.filter((outcome) => outcome.text !== "Hello, world")).toEqual([]);
      const broken = given.filter(({ finishReason }) => finishReason !== "stop");
      expect(new Set(broken.map(({ finishReason }) => finishReason))).toEqual(new Set(["interrupted"]));
      expect(broken.map(({ text: came }) => came)).toEqual(expect.arrayContaining([HALF, "Hello, world"]));
      expect(calls.length).toBe(size);
      expect(calls.filter(({ signal }) => signal.reason === "error_termination").length).toBe(size - successes.length);
    },
  );

  it("keeps what came before the connection broke, which the SDK alone does not", async () => {
    const server = await serve(dialect, () => ({ steps: answer, by: "reset", cutAt: cutWithin(server.served) }));
    await expect(stream(create(server.baseUrl))).rejects.toThrow("Failed to process successful response");
    const { model, calls } = guard(create(server.baseUrl));
    const outcome = await stream(model);
    expect(outcome).toMatchObject({ text: HALF, finishReason: "interrupted", errors: [expect.any(Error)] });
    expect(signalOf(outcome.providerMetadata)).toMatchObject({ reason: "error_termination", detail: "network_error" });
    expect(calls).toMatchObject([{ text: HALF, usage: { estimated: true } }]);
  });

  it.each(["end", "reset"] as const)("gives nobody half of a whole answer, and tells what came: %s", async (by) => {
    const server = await serve(dialect, () => ({ steps: answer, by, cutAt: cutWithin(server.served) }));
    const { model, middleware } = guard(create(server.baseUrl));
    const error = await generate(model).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    if (by === "end") expect(error).toBeInstanceOf(BrokenAnswerError);
    expect(middleware.lastCall).toMatchObject({ text: HALF, signal: { reason: "error_termination" } });
  });

  it("counts nothing for a request that was refused", async () => {
    const body = { error: { type: "rate_limit_error", message: "Slow down", code: 429, status: "RESOURCE_EXHAUSTED" } };
    const { baseUrl } = await serve(dialect, { status: 429, body });
    const { model, calls } = guard(create(baseUrl));
    await expect(generate(model)).rejects.toMatchObject({ statusCode: 429 });
    expect(calls.map(({ usage }) => usage)).toEqual([{ inputTokens: 0, outputTokens: 0 }]);
  });

  it("runs no tool of an answer that broke off", async () => {
    const { baseUrl } = await serve(dialect, [opening, ...call("c1", "weather", '{"city":"Oslo"}')]);
    const { model, calls } = guard(create(baseUrl));
    let runs = 0;
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: () => (runs += 1) });
    const result = streamText({ model, prompt: "Hi", tools: { weather }, onError: () => undefined });
    await result.consumeStream();
    expect(await result.finishReason).toBe("interrupted");
    expect(runs).toBe(0);
    expect(calls).toMatchObject([{ signal: { detail: "truncated" } }]);
  });
});

/** Where a body makes a difference when it is cut: at the ends of its frames, just before them, and within. */
function placesToCut(body: Buffer): number[] {
  const places = new Set([0, 1]);
  for (let end = body.indexOf("\n\n"), from = 0; end !== -1; end = body.indexOf("\n\n", from)) {
    for (const at of [Math.floor((from + end) / 2), end - 1, end, end + 1, end + 2]) places.add(at);
    from = end + 2;
  }
  return [...places].filter((at) => at < body.length);
}

/** A place behind the first piece of text and before the second. */
function cutWithin(format: Parameters<typeof bodyOf>[0]): number {
  return Buffer.from(bodyOf(format, answer, true)).indexOf('world"') - 1;
}

describe("an answer of which a piece cannot be read", () => {
  const { dialect, create } = modelOf("openai-chat");
  const steps = [opening, text("Hello, "), { raw: 'data: {"choices": "broken"}\n\n' }, text("world"), counts, done];

  it("is a success to the SDK alone", async () => {
    const { baseUrl } = await serve(dialect, steps);
    expect((await stream(create(baseUrl))).finishReason).toBe("stop");
  });

  it("is an error under rules, with all that could be read", async () => {
    const { baseUrl } = await serve(dialect, steps);
    const { model, calls } = guard(create(baseUrl));
    expect(await stream(model)).toMatchObject({ finishReason: "error", text: "Hello, world" });
    expect(calls).toMatchObject([{ signal: { detail: "malformed_event" } }]);
  });
});
