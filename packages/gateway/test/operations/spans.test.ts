import { SpanKind, SpanStatusCode, context, trace } from "@opentelemetry/api";
import { createGate, finish, start, text, usage } from "fullstop/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { openRoutes } from "../../src/access/caller-key.ts";
import { post, whenWriting } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import { registerTracing } from "../support/tracing.ts";

const tracing = registerTracing();
const gateway = await openScripted({
  models: { pip: { local: "pip", threads: 1 }, small: { provider: "gemini", model: "some-model" } },
  fallbacks: { small: ["openai-chat/other"] },
});
const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const HELLO = [start(), text("private answer"), usage(9, 4), finish()];
const QUESTION = { messages: [{ role: "user", content: "private question" }], stop: ["private stop"] };

const ask = (model: string, headers: Readonly<Record<string, string>> = {}) =>
  post(`${gateway.url}/v1/chat/completions`, { ...QUESTION, model }, headers);

beforeEach(() => {
  tracing.reset();
  gateway.script("gemini", HELLO);
  gateway.script("openai-chat", HELLO);
});

describe("the span of a generation", () => {
  it("says by the GenAI conventions what was asked, of whom, and how it ended", async () => {
    const { headers } = await ask("small");
    const [span, ...others] = tracing.spans();
    expect(others).toEqual([]);
    expect(span).toMatchObject({ name: "chat small", kind: SpanKind.CLIENT });
    expect(span?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "gcp.gemini",
      "gen_ai.request.model": "some-model",
      "gen_ai.response.id": headers.get("x-fullstop-generation-id"),
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 9,
      "gen_ai.usage.output_tokens": 4,
      "fullstop.termination.reason": "natural_completion",
      "fullstop.termination.confidence": expect.any(String) as string,
    });
  });

  it("goes on with the caller's trace, and lets the provider go on with it", async () => {
    await ask("small", { traceparent: PARENT });
    const [span] = tracing.spans();
    expect(span?.spanContext().traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(span?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
    const received = gateway.upstreams.gemini.requests.at(-1)?.headers;
    expect(received?.["traceparent"]).toBe(`00-0af7651916cd43dd8448eb211c80319c-${span?.spanContext().spanId}-01`);
    expect(received?.["baggage"]).toBeUndefined();
  });

  it("has no parent where the caller has none, and is within a span that is open here", async () => {
    await ask("small");
    expect(tracing.spans()[0]?.parentSpanContext).toBeUndefined();
    tracing.reset();
    const outer = trace.getTracer("test").startSpan("request");
    const generation = context.with(trace.setSpan(context.active(), outer), () =>
      gateway.house.generations.start({
        id: "inner",
        owner: "me",
        request: { model: "small", messages: [] },
        settings: gateway.house.defaults,
        targets: openRoutes(gateway.house.router.resolve("gemini/x"), { headers: {} }, gateway.house.gatekeeper),
        trace: { traceparent: PARENT },
      }),
    );
    await generation.ended;
    outer.end();
    expect(tracing.spans()[0]?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });

  it("says who failed, and who answered instead", async () => {
    gateway.script("gemini", { status: 500, body: { error: { message: "private sentence" } } });
    await ask("small");
    const [span] = tracing.spans();
    expect(span?.events.map(({ name, attributes }) => [name, attributes?.["gen_ai.provider.name"]])).toEqual([
      ["fullstop.failure", "gcp.gemini"],
    ]);
    expect(span?.attributes).toMatchObject({
      "gen_ai.provider.name": "openai-chat",
      "gen_ai.request.model": "other",
      "fullstop.termination.reason": "natural_completion",
    });
    expect(span?.status.code).toBe(SpanStatusCode.UNSET);
  });

  it("says that it failed", async () => {
    gateway.script("openai-chat", { status: 429, body: { error: { message: "private sentence" } } });
    await ask("openai-chat/x");
    const [span] = tracing.spans();
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span?.attributes).toMatchObject({
      "error.type": "rate_limited",
      "gen_ai.response.finish_reasons": ["error"],
    });
  });

  it("says how it was stopped", async () => {
    const gate = createGate();
    gateway.script("gemini", [start(), text("private answer"), gate.pass, finish()]);
    const answer = ask("small");
    (await whenWriting(gateway)).stop("new_message");
    await answer;
    gate.open();
    expect(tracing.spans()[0]?.attributes).toMatchObject({
      "fullstop.termination.detail": "new_message",
      "fullstop.stop.mode": "stop",
      "fullstop.stop.phase": "answering",
    });
  });

  it("is internal for a model on this machine", async () => {
    const body = { model: "pip", messages: [{ role: "user", content: "Hi" }], max_tokens: 1, reasoning_effort: "none" };
    await post(`${gateway.url}/v1/chat/completions`, body);
    expect(tracing.spans()[0]).toMatchObject({
      kind: SpanKind.INTERNAL,
      attributes: { "gen_ai.provider.name": "local", "gen_ai.request.model": "pip" },
    });
  });

  it("holds nothing that anybody has written", async () => {
    gateway.script("gemini", [start(), text("private answer"), text("private stop"), finish()]);
    await ask("small");
    gateway.script("gemini", { status: 400, body: { error: { message: "private sentence" } } });
    await ask("gemini/x");
    const written = tracing.spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]);
    expect(written).toHaveLength(2);
    expect(JSON.stringify(written)).not.toContain("private");
  });
});
