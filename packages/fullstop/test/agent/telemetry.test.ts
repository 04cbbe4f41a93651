import * as api from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { createRunTracer } from "../../src/adapters/index.ts";
import { createAgentRun, createClient, defineTool } from "../../src/agent/index.ts";
import type { AgentEvent } from "../../src/agent/index.ts";
import { PROVIDERS } from "../../src/detect/providers.ts";
import { call, createScriptedEngine, finish, start, text, usage } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";

/** Plays a run and gives the spans that were written of it. */
async function trace(
  script: readonly (readonly ScriptStep[])[],
  onItsWay: (event: AgentEvent) => readonly AgentEvent[] = (event) => [event],
): Promise<readonly ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = createRunTracer({ tracer: provider.getTracer("test"), api, agentName: "helper" });
  const onEvent = (event: AgentEvent): void => onItsWay(event).forEach(tracer);
  const secret = defineTool({ name: "look", execute: () => "private result" });
  const client = createClient({ providers: { engine: createScriptedEngine(script) }, tools: [secret], onEvent });
  await client.chat({ model: "some-model", messages: "private question" });
  return exporter.getFinishedSpans();
}

/** What the spans of a conversation say about whom they asked: that of the run last, as it ends last. */
async function traceProviders(
  converse: (onEvent: (event: AgentEvent) => void) => Promise<unknown>,
  provider?: string | Readonly<Record<string, string>>,
): Promise<readonly unknown[]> {
  const exporter = new InMemorySpanExporter();
  const spans = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  await converse(createRunTracer({ tracer: spans.getTracer("test"), api, provider }));
  return exporter.getFinishedSpans().map(({ attributes }) => attributes["gen_ai.provider.name"]);
}

describe("the spans of a run", () => {
  it("are one for the run, one for each answer and one for each tool, within each other", async () => {
    const spans = await trace([
      [start("gen-1"), ...call("a", "look", { where: "private place" }), usage(3, 2), finish("tool_calls")],
      [text("private answer"), usage(5, 1), finish()],
    ]);
    const byName = (name: string): readonly ReadableSpan[] => spans.filter((span) => span.name === name);
    const [run] = byName("invoke_agent helper");
    expect(run?.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "helper",
      "gen_ai.usage.input_tokens": 8,
      "fullstop.end": "completed",
      "fullstop.turns": 2,
    });
    expect(run?.events.map(({ name, attributes }) => [name, attributes?.["fullstop.action"]])).toEqual([
      ["fullstop.decision", "run_tools"],
      ["fullstop.decision", "stop"],
    ]);
    const answers = byName("chat some-model");
    expect(answers.map(({ attributes }) => attributes["gen_ai.response.finish_reasons"])).toEqual([
      ["tool_call"],
      ["stop"],
    ]);
    expect(answers[0]?.attributes).toMatchObject({ "gen_ai.response.id": "gen-1", "gen_ai.usage.output_tokens": 2 });
    const [tool] = byName("execute_tool look");
    expect(tool?.attributes).toMatchObject({ "gen_ai.tool.name": "look", "gen_ai.tool.call.id": "a" });
    for (const span of [...answers, tool]) expect(span?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
  });

  it("are all ended where the reader leaves early, in an answer or in a tool", async () => {
    for (const moment of ["generation", "tool-start"]) {
      const exporter = new InMemorySpanExporter();
      const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      const onEvent = createRunTracer({ tracer: provider.getTracer("test"), api });
      const engine = createScriptedEngine([[text("Hm. "), ...call("a", "look"), finish("tool_calls")]]);
      const look = defineTool({ name: "look", execute: () => "seen" });
      const run = createClient({ providers: { engine }, tools: [look], onEvent }).stream({
        model: "m",
        messages: "Hi",
      });
      for await (const { type } of run) if (type === moment) break;
      const spans = exporter.getFinishedSpans();
      const names = ["chat m", ...(moment === "tool-start" ? ["execute_tool look"] : []), "invoke_agent"];
      expect(spans.map(({ name }) => name)).toEqual(names);
      expect(spans.at(-1)?.attributes).toMatchObject({ "fullstop.end": "stopped" });
      expect(await run.result()).toMatchObject({ end: "stopped", text: "Hm. " });
    }
  });

  it("are one for each tool also where two calls of an answer have the same id", async () => {
    const spans = await trace([
      [...call("a", "look", { at: 1 }), ...call("a", "look", { at: 2 }), finish("tool_calls")],
      [text("private answer"), finish()],
    ]);
    expect(spans.filter(({ name }) => name === "execute_tool look")).toHaveLength(2);
  });

  it.each([
    { what: "all of them are copies", onItsWay: (event: AgentEvent) => [structuredClone(event)] },
    {
      what: "the ends of tools are lost",
      onItsWay: (event: AgentEvent) => (event.type === "tool-end" ? [] : [event]),
    },
  ])("are all ended, and each tool's once, where of the events $what", async ({ onItsWay }) => {
    const calls = [...call("a", "look"), ...call("a", "look"), ...call("b", "look")];
    const spans = await trace(
      [
        [...calls, finish("tool_calls")],
        [text("private answer"), finish()],
      ],
      onItsWay,
    );
    expect(spans.filter(({ name }) => name === "execute_tool look")).toHaveLength(3);
    expect(spans.at(-1)?.name).toBe("invoke_agent helper");
  });

  it("say that something failed", async () => {
    const spans = await trace([[finish("error_termination", { detail: "authentication", message: "private key" })]]);
    expect(spans.map(({ status }) => status.code)).toEqual([api.SpanStatusCode.ERROR, api.SpanStatusCode.ERROR]);
    expect(spans[0]?.attributes).toMatchObject({ "error.type": "authentication" });
  });

  it("hold nothing that anybody has written", async () => {
    const spans = await trace([
      [...call("a", "look", { where: "private place" }), finish("tool_calls")],
      [text("private answer"), finish("stop_sequence", { stopSequence: "private stop", message: "private message" })],
    ]);
    const written = JSON.stringify(
      spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    expect(written).not.toContain("private");
  });
});

describe("the provider on the spans of a run", () => {
  const answering = createScriptedEngine(() => [text("Hello"), finish()]);

  /** Asks a provider of the given name, by a client. */
  const ask =
    (name: string) =>
    (onEvent: (event: AgentEvent) => void): Promise<unknown> =>
      createClient({ providers: { [name]: answering }, onEvent }).chat({ model: "m", messages: "Hi" });

  /** The conventions' list of well-known values, which must be used where they apply. */
  const wellKnown: Readonly<Record<string, string>> = {
    anthropic: "anthropic",
    azure: "azure.ai.openai",
    bedrock: "aws.bedrock",
    cohere: "cohere",
    deepseek: "deepseek",
    google: "gcp.gemini",
    groq: "groq",
    mistral: "mistral_ai",
    openai: "openai",
    perplexity: "perplexity",
    xai: "x_ai",
  };

  it.each(PROVIDERS.map(({ id }) => id))("is the conventions' name for %s", async (id) => {
    const expected = wellKnown[id] ?? id;
    expect(await traceProviders(ask(id))).toEqual([expected, expected]);
  });

  it("is the name of the client's where the conventions know none", async () => {
    expect(await traceProviders(ask("toString"))).toEqual(["toString", "toString"]);
  });

  it("is what the caller says", async () => {
    expect(await traceProviders(ask("main"), "openai")).toEqual(["openai", "openai"]);
    expect(await traceProviders(ask("google"), { google: "gcp.vertex_ai" })).toEqual([
      "gcp.vertex_ai",
      "gcp.vertex_ai",
    ]);
    expect(await traceProviders(ask("xai"), { google: "gcp.vertex_ai" })).toEqual(["x_ai", "x_ai"]);
  });

  it("is the other one from where a run has turned to it, also for a model of the same name", async () => {
    const strict = createScriptedEngine([[finish("content_filtered")]]);
    const other = createScriptedEngine([
      [finish("error_termination", { detail: "truncated" })],
      [text("Sure"), finish()],
    ]);
    const providers = await traceProviders((onEvent) =>
      createClient({
        providers: { google: strict, mistral: other },
        fallbackModel: "mistral/same",
        settings: { retryMilliseconds: 0 },
        onEvent,
      }).chat({ model: "same", messages: "Hi" }),
    );
    expect(providers).toEqual(["gcp.gemini", "mistral_ai", "mistral_ai", "gcp.gemini"]);
  });

  it("is not guessed where nobody says it", async () => {
    const run = async (onEvent: (event: AgentEvent) => void): Promise<void> => {
      const request = { model: "gpt-5", messages: [] };
      for await (const event of createAgentRun({ engine: answering, request })) onEvent(event);
    };
    expect(await traceProviders(run)).toEqual([undefined, undefined]);
    expect(await traceProviders(run, "openai")).toEqual(["openai", "openai"]);
  });

  it("is refused under another name", () => {
    const options = { tracer: undefined, api, providerName: "openai" } as never;
    expect(() => createRunTracer(options)).toThrow("run tracer options has no such option");
  });
});
