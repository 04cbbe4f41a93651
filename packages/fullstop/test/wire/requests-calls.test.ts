import { describe, expect, it } from "vitest";
import type { Message } from "../../src/index.ts";
import { REQUEST_FORMATS } from "../../src/wire/index.ts";
import { createCallIds } from "../../src/wire/requests/calls.ts";
import { withDistinctCallIds } from "../../src/wire/requests/distinct-calls.ts";

describe("the ids of calls that come without", () => {
  it("are found for half a million results without looking through all of them each time", () => {
    const count = 500_000;
    const ids = createCallIds();
    for (let made = 0; made < count; made += 1) ids.ofCall(undefined, "f");
    let last = "";
    for (let found = 0; found < count; found += 1) last = ids.ofResult(undefined, "f");
    expect(last).toBe(`call_${count - 1}`);
  });

  it("are made up for as many calls, whatever ids the others have", () => {
    const count = 100_000;
    const ids = createCallIds();
    for (let given = 0; given < count; given += 1) ids.ofCall(`call_${count + given}`, "f");
    let last = "";
    for (let made = 0; made < count; made += 1) last = ids.ofCall(undefined, "f");
    expect(last).toBe(`call_${3 * count - 1}`);
  });

  it("pass over calls that have their result, and those of other tools", () => {
    const ids = createCallIds();
    for (const name of ["f", "g", "f", "f"]) ids.ofCall(undefined, name);
    expect(ids.ofResult("call_0", "f")).toBe("call_0");
    expect(ids.ofResult(undefined, "f")).toBe("call_2");
    expect(ids.ofResult(undefined, "g")).toBe("call_1");
    expect(ids.ofResult(undefined, "g")).toBe("call_4");
  });
});

describe("ids that stand for another call in every turn", () => {
  const user: Message = { role: "user", content: [{ type: "text", text: "Go" }] };
  const calls = (...parts: readonly [callId: string, name: string][]): Message => ({
    role: "assistant",
    content: parts.map(([callId, name]) => ({ type: "tool-call", callId, name, json: "{}" })),
  });
  const result = (callId: string, text: string): Message => ({
    role: "tool",
    callId,
    content: [{ type: "text", text }],
  });
  const history = [
    user,
    calls(["call_1", "f"], ["call_2", "g"]),
    result("call_2", "of g"),
    result("call_1", "of f"),
    calls(["call_1", "h"]),
    result("call_1", "of h"),
  ];
  const idsOf = (messages: readonly Message[]): readonly string[] =>
    messages.flatMap((message) => {
      if (message.role === "tool") return [message.callId];
      if (message.role !== "assistant") return [];
      return message.content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
    });

  it("become different ones, and results stay with their calls", () => {
    expect(idsOf(withDistinctCallIds(history))).toEqual([
      "call_1",
      "call_2",
      "call_2",
      "call_1",
      "call_1_2",
      "call_1_2",
    ]);
  });

  it("are given in the order of the calls where one turn has them twice", () => {
    const messages = [calls(["a", "f"], ["a", "g"]), result("a", "of f"), result("a", "of g"), result("a", "again")];
    expect(idsOf(withDistinctCallIds(messages))).toEqual(["a", "a_2", "a", "a_2", "a_2"]);
  });

  it("pass over calls that never got a result, and ids that another call has", () => {
    const messages = [
      calls(["a", "f"]),
      user,
      calls(["a_2", "g"], ["a", "h"]),
      result("a", "of h"),
      result("b", "of none"),
    ];
    expect(idsOf(withDistinctCallIds(messages))).toEqual(["a", "a_2", "a_3", "a_3", "b"]);
  });

  it("do not change with what follows, and messages without them stay what they are", () => {
    const whole = withDistinctCallIds(history);
    for (const [index] of history.entries()) {
      expect(withDistinctCallIds(history.slice(0, index))).toEqual(whole.slice(0, index));
    }
    for (const [index, message] of history.slice(0, 4).entries()) expect(whole[index]).toBe(message);
  });

  it("are told apart by the hundred thousand", () => {
    const messages = Array.from({ length: 100_000 }, () => [calls(["a", "f"]), result("a", "")]).flat();
    expect(idsOf(withDistinctCallIds(messages)).at(-1)).toBe("a_100000");
  });

  it("name results after the nearest call, where a result has a name", () => {
    const { body: gemini } = REQUEST_FORMATS.gemini.encodeRequest({ model: "m", messages: history });
    expect(gemini["contents"]).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { name: "g" } }, { functionResponse: { name: "f" } }] },
      { parts: [{ functionCall: { id: "call_1_2", name: "h" } }] },
      { parts: [{ functionResponse: { id: "call_1_2", name: "h" } }] },
    ]);
    const { body: ollama } = REQUEST_FORMATS["ollama-chat"].encodeRequest({ model: "m", messages: history });
    expect(ollama["messages"]).toMatchObject([
      {},
      {},
      { tool_name: "g" },
      { tool_name: "f" },
      {},
      { tool_name: "h", tool_call_id: "call_1_2" },
    ]);
  });

  it.each(Object.values(REQUEST_FORMATS))("are written once only in $name", (format) => {
    const { body } = format.encodeRequest({ model: "m", messages: history });
    const written = JSON.stringify(body).match(/call_1(?:_2)?(?=")/gu);
    expect(written).toEqual(["call_1", "call_1", "call_1_2", "call_1_2"]);
  });
});
