import * as api from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { createRunTracer } from "../../src/adapters/index.ts";
import { createClient, defineTool } from "../../src/agent/index.ts";
import { call, createScriptedEngine, finish, start, text, usage } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";

/** Plays a run and gives the spans that were written of it. */
async function trace(script: readonly (readonly ScriptStep[])[]): Promise<readonly ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const onEvent = createRunTracer({ tracer: provider.getTracer("test"), api, agentName: "helper" });
  const secret = defineTool({ name: "look", execute: () => "private result" });
  const client = createClient({ providers: { engine: createScriptedEngine(script) }, tools: [secret], onEvent });
  await client.chat({ model: "some-model", messages: "private question" });
  return exporter.getFinishedSpans();
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
