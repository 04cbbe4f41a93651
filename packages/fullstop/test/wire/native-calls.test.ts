import { describe, expect, it } from "vitest";
import { AnswerCollector } from "../../src/agent/answer.ts";
import { sizeOf } from "../../src/control/size.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { anthropicMessages } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import { DIALECTS, payloadsOf, read, writeStream, writeWhole } from "../support/official.ts";
import { messagesStream, messagesWhole, toBytes } from "../support/wire-bodies.ts";

const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_1" };
const call = { type: "tool_use", id: "toolu_1", name: "look", input: { city: "Rome" }, caller };
const native = { format: "anthropic-messages", fields: { caller } };

function streamOf(block: object): string {
  return messagesStream(
    { stop_reason: "tool_use" },
    { type: "content_block_start", index: 1, content_block: { ...block, input: {} } } as { type: string },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"city":"Rome"}' } } as {
      type: string;
    },
    { type: "content_block_stop", index: 1 } as { type: string },
  );
}

function answersWith(block: object): readonly (readonly GenerationEvent[])[] {
  return [
    decodeChunks(anthropicMessages, [toBytes(streamOf(block))]),
    anthropicMessages.decodeResponse(messagesWhole({ content: [block], stop_reason: "tool_use" })),
  ];
}

describe("what only its own provider says of a call", () => {
  it("is read with its beginning, and written where the same dialect is spoken", () => {
    for (const events of answersWith(call)) {
      const start = events.find(({ type }) => type === "tool-call-start");
      expect(start).toEqual({ type: "tool-call-start", callId: "toolu_1", name: "look", native });
      const { body, warnings } = writeWhole("anthropic-messages", events);
      expect(body["content"]).toContainEqual(call);
      const streamed = writeStream("anthropic-messages", events);
      const blocks = payloadsOf(streamed.frames).map((payload) => read(payload, "content_block"));
      expect(blocks).toContainEqual({ ...call, input: {} });
      expect([warnings, streamed.warnings]).toEqual([[], []]);
    }
  });

  it("is not that the model itself has made it, which is said of all the others", () => {
    for (const events of answersWith({ ...call, caller: { type: "direct" }, toolset_name: null })) {
      const start = events.find(({ type }) => type === "tool-call-start");
      expect(start).toEqual({ type: "tool-call-start", callId: "toolu_1", name: "look" });
    }
  });

  it.each(DIALECTS.filter((dialect) => dialect !== "anthropic-messages"))("is a warning in %s", (dialect) => {
    for (const events of answersWith(call)) {
      const { frames, warnings } = writeStream(dialect, events);
      expect(frames.join("")).not.toContain("code_execution");
      expect(warnings.map(({ field }) => field)).toContain("toolCalls");
    }
  });

  it("goes back with the call, also from the history of a loop", () => {
    for (const events of answersWith(call)) {
      const collector = new AnswerCollector();
      for (const event of events) collector.push(event);
      const { content } = collector.answer();
      expect(content).toContainEqual({
        type: "tool-call",
        callId: "toolu_1",
        name: "look",
        json: '{"city":"Rome"}',
        native,
      });
      const { body } = anthropicMessages.encodeRequest({
        model: "m",
        maxOutputTokens: 10,
        messages: [
          { role: "user", content: [{ type: "text", text: "Hi" }] },
          { role: "assistant", content },
        ],
      });
      expect(read(body, "messages", 1, "content")).toContainEqual(call);
      const back = anthropicMessages.decodeRequest(body);
      expect(back.warnings).toEqual([]);
      expect(anthropicMessages.encodeRequest(back.request).body).toEqual(body);
    }
  });

  it("counts for what an answer takes in memory", () => {
    const start = { type: "tool-call-start" as const, callId: "c", name: "f" };
    const large = { format: "anthropic-messages", fields: { caller: { tool_id: "x".repeat(1000) } } };
    expect(sizeOf([{ ...start, native: large }]) - sizeOf([start])).toBeGreaterThan(2000);
  });
});
