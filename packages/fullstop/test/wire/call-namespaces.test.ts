import { describe, expect, it } from "vitest";
import { AnswerCollector } from "../../src/agent/answer.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import type { WireWarning } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import { namedEvents, responsesWhole, toBytes } from "../support/wire-bodies.ts";

const responses = WIRE_FORMATS["openai-responses"];
const item = { type: "function_call", id: "fc_1", call_id: "c", name: "find", namespace: "crm", arguments: '{"id":1}' };
const other = { type: "function_call", id: "fc_2", call_id: "d", name: "find", arguments: "{}" };
const answer = responsesWhole({ status: "completed" }, item, other);
const native = { format: "openai-responses", fields: { namespace: "crm" } };

describe("the group of tools that a call of Responses is in", () => {
  const events = responses.decodeResponse(answer);

  it("is told when the call begins, in a stream as well", () => {
    const starts = (told: readonly GenerationEvent[]): readonly GenerationEvent[] =>
      told.filter(({ type }) => type === "tool-call-start");
    const expected = [
      { type: "tool-call-start", callId: "c", name: "find", native },
      { type: "tool-call-start", callId: "d", name: "find" },
    ];
    expect(starts(events)).toEqual(expected);
    const added = [item, other].map((call, index) => ({
      type: "response.output_item.added",
      output_index: index,
      item: { ...call, arguments: "" },
    }));
    const done = [item, other].map((call, index) => ({
      type: "response.output_item.done",
      output_index: index,
      item: call,
    }));
    const stream = namedEvents(...added, ...done, { type: "response.completed" });
    expect(starts(decodeChunks(responses, [toBytes(stream)]))).toEqual(expected);
  });

  it("is written again in the same dialect", () => {
    const { body } = responses.encodeResponse(events);
    expect(body["output"]).toMatchObject([{ type: "message" }, { name: "find", namespace: "crm" }, { name: "find" }]);
    expect(JSON.stringify(body).match(/namespace/gu)).toHaveLength(1);
    const frames: string[] = [];
    const sink = responses.encodeStream()({ push: (frame) => void frames.push(frame), end: () => undefined });
    for (const event of events) sink.push(event);
    sink.end();
    expect(decodeChunks(responses, [toBytes(frames.join(""))])).toContainEqual(
      expect.objectContaining({ callId: "c", native }),
    );
  });

  it.each(["openai-chat", "anthropic-messages", "gemini"] as const)("is left out of %s with a warning", (name) => {
    const warnings: WireWarning[] = [];
    const { body } = WIRE_FORMATS[name].encodeResponse(events, { onWarning: (warning) => void warnings.push(warning) });
    expect(JSON.stringify(body)).not.toContain("crm");
    expect(warnings.map(({ field }) => field)).toContain("toolCalls");
  });

  it("goes back with the call in an agent's history", () => {
    const collector = new AnswerCollector();
    for (const event of events) collector.push(event);
    const { content } = collector.answer();
    const { body } = responses.encodeRequest({ model: "m", messages: [{ role: "assistant", content }] });
    expect(body["input"]).toMatchObject([{}, { call_id: "c", namespace: "crm" }, { call_id: "d" }]);
  });
});

describe("a group of tools in a request", () => {
  const group = (...tools: readonly object[]): object => ({
    type: "namespace",
    name: "crm",
    description: "CRM",
    tools,
  });

  it("is handed on in the same dialect, if all in it are functions or take text", () => {
    const tools = [group({ type: "function", name: "find" }, { type: "custom", name: "sql" })];
    const { request, warnings } = responses.decodeRequest({ model: "m", input: "Hi", tools });
    expect(warnings).toEqual([]);
    expect(responses.encodeRequest(request).body["tools"]).toEqual(tools);
  });

  it("is left out with a warning if calls of one in it could not be told", () => {
    const tools = [group({ type: "function", name: "find" }, { type: "apply_patch" })];
    const { request, warnings } = responses.decodeRequest({ model: "m", input: "Hi", tools });
    expect(warnings.map(({ field }) => field)).toEqual(["tools[0]"]);
    expect(responses.encodeRequest(request).body).not.toHaveProperty("tools");
  });
});
