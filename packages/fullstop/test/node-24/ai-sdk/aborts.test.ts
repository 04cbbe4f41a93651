import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import type { StopRule } from "../../../src/index.ts";
import { createGate } from "../../../src/testing/index.ts";
import { text } from "../../support/official.ts";
import { begin, block } from "../support/anthropic-frames.ts";
import { MODELS, counts, forever, guard, modelOf, opening, serve } from "../support/models.ts";

describe.each(MODELS)("$name", ({ dialect, create }) => {
  const steps = [opening, counts, text("Once upon "), text("a time </an"), forever];

  it("loses what came before an abort, with the SDK alone", async () => {
    const { baseUrl } = await serve(dialect, steps);
    const stop = new AbortController();
    const ends: unknown[] = [];
    const result = streamText({
      model: create(baseUrl),
      prompt: "Hi",
      abortSignal: stop.signal,
      onAbort: ({ steps: whole }) => void ends.push(whole),
      onEnd: () => void ends.push("end"),
    });
    for await (const piece of result.textStream) if (piece.includes("a time")) stop.abort();
    expect(ends).toEqual([[]]);
    await expect(result.text).rejects.toThrow(/abort/iu);
    await expect(result.totalUsage).rejects.toThrow(/abort/iu);
  });

  it("has what came before an abort when the SDK tells of it", async () => {
    const server = await serve(dialect, steps);
    const { model, middleware, calls } = guard(create(server.baseUrl), { stop: ["</answer>"] });
    const stop = new AbortController();
    const kept: unknown[] = [];
    const result = streamText({
      model,
      prompt: "Hi",
      abortSignal: stop.signal,
      onAbort: () => void kept.push(middleware.lastCall?.text),
    });
    for await (const piece of result.textStream) if (piece.includes("a time")) stop.abort("new_message");
    // What was held back, as it could have become a stop string, is part of it.
    expect(kept).toEqual(["Once upon a time </an"]);
    expect(calls).toMatchObject([
      {
        signal: { reason: "cancelled", detail: "new_message" },
        usage: { outputTokens: 6, estimated: true },
        modelId: "some-model",
      },
    ]);
    expect(await (await server.nextRequest()).closed).toBe("gone");
  });

  it("keeps what came of an answer that was asked for whole", async () => {
    const server = await serve(dialect, [opening, text("Once upon "), forever]);
    const arrived = createGate();
    const arrival: StopRule = { name: "arrival", start: () => () => void arrived.pass() };
    const { model, middleware } = guard(create(server.baseUrl), { rules: [arrival] });
    const stop = new AbortController();
    const asked = generateText({ model, prompt: "Hi", abortSignal: stop.signal, maxRetries: 0 });
    const refused = asked.catch(String);
    await arrived.reached;
    stop.abort();
    expect(await refused).toMatch(/abort/iu);
    expect(middleware.lastCall).toMatchObject({ text: "Once upon ", signal: { reason: "cancelled", detail: "user" } });
    expect(await (await server.nextRequest()).closed).toBe("gone");
  });

  it("tells of a call that was aborted before its answer began", async () => {
    const server = await serve(dialect, [forever]);
    const { model, calls } = guard(create(server.baseUrl));
    const stop = new AbortController();
    const asked = generateText({ model, prompt: "Hi", abortSignal: stop.signal, maxRetries: 0 });
    const refused = asked.catch(String);
    await server.nextRequest();
    stop.abort();
    expect(await refused).toMatch(/abort/iu);
    expect(calls).toMatchObject([{ text: "", signal: { reason: "cancelled" } }]);
  });

  it("closes the connection when nobody reads on", async () => {
    const server = await serve(dialect, steps);
    const { model, calls } = guard(create(server.baseUrl));
    const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] });
    for await (const part of stream) if (part.type === "text-delta" && part.delta !== "") break;
    expect(await (await server.nextRequest()).closed).toBe("gone");
    expect(calls).toMatchObject([{ text: "Once upon ", signal: { reason: "cancelled", detail: "disconnect" } }]);
  });
});

it("takes a deadline for what it is", async () => {
  const { dialect, create } = modelOf("openai-chat");
  const { baseUrl } = await serve(dialect, [opening, text("Once"), forever]);
  const { model, calls } = guard(create(baseUrl));
  const result = streamText({ model, prompt: "Hi", abortSignal: AbortSignal.timeout(50) });
  await result.consumeStream();
  expect(calls).toMatchObject([{ signal: { reason: "cancelled", detail: "deadline" } }]);
});

it("has the input as Anthropic has counted it, and thinking and cut calls apart", async () => {
  const { dialect, create } = modelOf("anthropic-messages");
  const thinking = block(0, { type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: "Hm. " });
  const words = block(1, { type: "text", text: "" }, { type: "text_delta", text: "Look: " });
  const input = { type: "input_json_delta", partial_json: '{"city":' };
  const cut = block(2, { type: "tool_use", id: "c1", name: "weather", input: {} }, input).split(
    "event: content_block_stop",
  )[0]!;
  const { baseUrl } = await serve(dialect, [{ raw: begin + thinking + words + cut }, forever]);
  const { model, calls } = guard(create(baseUrl));
  const stop = new AbortController();
  const result = streamText({ model, prompt: "Hi", abortSignal: stop.signal });
  for await (const part of result.fullStream) if (part.type === "tool-input-delta") stop.abort();
  expect(calls).toMatchObject([
    {
      text: "Look: ",
      reasoning: "Hm. ",
      cutCalls: [{ toolCallId: "c1", toolName: "weather", input: '{"city":' }],
      usage: { inputTokens: 20, outputTokens: 5, estimated: true },
    },
  ]);
});
