import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/index.ts";
import { mistral, openai, openaiCompatible, openaiResponses, openrouter } from "../../src/engines/index.ts";
import { REQUEST_FORMATS, gemini, openaiChat } from "../../src/wire/index.ts";
import { createCallIds } from "../../src/wire/requests/calls.ts";
import { withDistinctCallIds } from "../../src/wire/requests/distinct-calls.ts";
import { PLAIN_CALL_IDS, withSpeltCallIds } from "../../src/wire/requests/spelt-calls.ts";

const user: Message = { role: "user", content: [{ type: "text", text: "Go" }] };

function calls(...parts: readonly [callId: string, name: string][]): Message {
  return {
    role: "assistant",
    content: parts.map(([callId, name]) => ({ type: "tool-call", callId, name, json: "{}" })),
  };
}

function result(callId: string, text: string, name?: string): Message {
  return { role: "tool", callId, content: [{ type: "text", text }], ...(name !== undefined && { name }) };
}

function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role === "tool") return [message.callId];
    if (message.role !== "assistant") return [];
    return message.content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
  });
}

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
    ids.ofCall("a", "f");
    for (const name of ["g", "f", "f"]) ids.ofCall(undefined, name);
    expect(ids.ofResult("a", "f")).toBe("a");
    expect(ids.ofResult(undefined, "f")).toBe("call_2");
    expect(ids.ofResult(undefined, "g")).toBe("call_1");
    expect(ids.ofResult(undefined, "g")).toBe("call_4");
  });

  it("are none that came before, and calls that come with them later get others, as do results of no call", () => {
    const ids = createCallIds();
    expect(["call_1", undefined, undefined].map((id) => ids.ofCall(id, "f"))).toEqual(["call_1", "call_2", "call_3"]);
    expect(["call_3", "call_1"].map((id) => ids.ofCall(id, "f"))).toEqual(["call_4", "call_1"]);
    ids.endTurn();
    expect(["call_3", "call_3", "call_2", "call_9"].map((id) => ids.ofResult(id, "f"))).toEqual([
      "call_4",
      "call_4",
      "call_5",
      "call_9",
    ]);
  });

  it("go to the nearest turn with such a call, and to earlier ones when all of it have their results", () => {
    const ids = createCallIds();
    ids.ofCall(undefined, "f");
    ids.endTurn();
    for (const name of ["f", "g", "f"]) ids.ofCall(undefined, name);
    const results = Array.from({ length: 3 }, () => ids.ofResult(undefined, "f"));
    expect(results).toEqual(["call_1", "call_3", "call_0"]);
  });

  it("are found for each call by itself where several have the same", () => {
    const contents = [
      { role: "model", parts: [{ functionCall: { id: "x", name: "f" } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }] },
      { role: "model", parts: [{ functionCall: { id: "x", name: "f" } }, { functionCall: { id: "x", name: "g" } }] },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "x", name: "g", response: { output: "2" } } },
          { functionResponse: { name: "f", response: { output: "3" } } },
        ],
      },
    ];
    const { request } = gemini.decodeRequest({ contents }, { model: "m" });
    expect(idsOf(request.messages)).toEqual(["x", "x", "x", "x", "x", "x"]);
    expect(idsOf(withDistinctCallIds(request.messages))).toEqual(["x", "x", "x_2", "x_3", "x_3", "x_2"]);
  });

  it.each([
    {
      format: gemini,
      body: {
        contents: [
          { role: "model", parts: [{ functionCall: { name: "f" } }] },
          { role: "user", parts: [{ functionResponse: { name: "f" } }] },
          { role: "model", parts: [{ function_call: { id: "call_0", name: "f" } }] },
          { role: "user", parts: [{ functionResponse: { id: "call_0", name: "f" } }] },
        ],
      },
    },
    {
      format: openaiChat,
      body: {
        messages: [
          { role: "assistant", function_call: { name: "f", arguments: "{}" } },
          { role: "function", name: "f", content: "" },
          {
            role: "assistant",
            tool_calls: [{ id: "call_0", type: "function", function: { name: "f", arguments: "{}" } }],
          },
          { role: "tool", tool_call_id: "call_0", content: "" },
        ],
      },
    },
  ])("are others than those of later calls in $format.name, whatever these are", ({ format, body }) => {
    const { request } = format.decodeRequest(body, { model: "m" });
    expect(idsOf(request.messages)).toEqual(["call_0", "call_0", "call_1", "call_1"]);
  });
});

describe("ids that stand for another call in every turn", () => {
  const history = [
    user,
    calls(["call_1", "f"], ["call_2", "g"]),
    result("call_2", "of g"),
    result("call_1", "of f"),
    calls(["call_1", "h"]),
    result("call_1", "of h"),
  ];

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

  it("are those of the tool that the result names, then of any without a result", () => {
    const twice = calls(["a", "f"], ["a", "g"]);
    const ids = (...results: readonly Message[]): readonly string[] =>
      idsOf(withDistinctCallIds([twice, ...results])).slice(2);
    expect(ids(result("a", "", "g"), result("a", "", "f"))).toEqual(["a_2", "a"]);
    expect(ids(result("a", ""), result("a", "", "g"))).toEqual(["a", "a_2"]);
    expect(ids(result("a", "", "h"), result("a", "", "g"))).toEqual(["a", "a_2"]);
    expect(ids(result("a", "", "g"), result("a", "", "g"))).toEqual(["a_2", "a"]);
  });

  it("are those of the results that name their tool before those of others", () => {
    const twice = calls(["a", "f"], ["a", "g"]);
    const messages = [twice, result("a", "of g"), result("a", "of f", "f")];
    expect(idsOf(withDistinctCallIds(messages))).toEqual(["a", "a_2", "a_2", "a"]);
  });

  it("are given in the order of the calls where several answers in a row make them", () => {
    const answers = [calls(["a", "f"]), calls(["a", "g"])];
    const both = [...answers, result("a", "of f"), result("a", "of g")];
    expect(idsOf(withDistinctCallIds(both))).toEqual(["a", "a_2", "a", "a_2"]);
    const named = [...answers, result("a", "of g", "g")];
    expect(idsOf(withDistinctCallIds(named))).toEqual(["a", "a_2", "a_2"]);
  });

  it.each([
    { what: "one answer", answers: [calls(["a", "f"], ["a", "f"])] },
    { what: "two answers", answers: [calls(["a", "f"]), calls(["a", "f"])] },
  ])("are given in the order of the calls of $what where somebody speaks between the results", ({ answers }) => {
    const between: readonly Message[] = [user, { role: "assistant", content: [{ type: "text", text: "hm" }] }];
    for (const said of between) {
      const messages = [...answers, result("a", "first"), said, result("a", "second")];
      expect(idsOf(withDistinctCallIds(messages))).toEqual(["a", "a_2", "a", "a_2"]);
    }
  });

  it("leaves results in their order where all calls of an id are of one tool, whoever names that", () => {
    const both = [calls(["a", "f"], ["a", "f"]), result("a", "first"), result("a", "second", "f")];
    expect(idsOf(withDistinctCallIds(both))).toEqual(["a", "a_2", "a", "a_2"]);
  });

  it("are those of an earlier turn where a result comes late", () => {
    const turns = [calls(["a", "f"]), user, calls(["a", "g"])];
    const named = [...turns, result("a", "of f", "f"), result("a", "of g", "g")];
    expect(idsOf(withDistinctCallIds(named))).toEqual(["a", "a_2", "a", "a_2"]);
    const unnamed = [...turns, result("a", "of g"), result("a", "of f")];
    expect(idsOf(withDistinctCallIds(unnamed))).toEqual(["a", "a_2", "a_2", "a"]);
  });

  it("become none that came before, and calls and results that come with them later get others", () => {
    const messages = [
      result("a_2", "of a call that is not there any more"),
      calls(["a", "f"], ["a", "g"]),
      result("a", ""),
      result("a", ""),
      calls(["a_3", "h"], ["a", "i"]),
      result("a_3", "of h"),
      result("a", "of i"),
      result("a_4", "of a call that is not there any more"),
    ];
    expect(idsOf(withDistinctCallIds(messages)).join(" ")).toBe("a_2 a a_3 a a_3 a_3_2 a_4 a_3_2 a_4 a_4_2");
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

  it("are spelt the same in every later request, whatever ids later calls have", () => {
    const id = fc.constantFrom("a", "a_2", "a_2_2", "a_3", "b:c", "b.c", "b_c");
    const name = fc.constantFrom("f", "g");
    const message = fc.oneof(
      fc.array(fc.tuple(id, name), { maxLength: 3 }).map((made) => calls(...made)),
      fc.tuple(id, fc.option(name, { nil: undefined })).map(([of, tool]) => result(of, "", tool)),
      fc.constant(user),
    );
    const written = (messages: readonly Message[]): readonly Message[] =>
      withSpeltCallIds(withDistinctCallIds(messages), PLAIN_CALL_IDS);
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const whole = written(messages);
        const made = idsOf(whole.filter(({ role }) => role === "assistant"));
        expect(new Set(made).size).toBe(made.length);
        for (const [index, { role }] of messages.entries()) {
          if (role === "assistant") expect(written(messages.slice(0, index))).toEqual(whole.slice(0, index));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("are found by the ten thousands within one answer, whatever tools the results name", () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `f${index}`);
    const many = calls(...names.map((name): [string, string] => ["a", name]));
    const results = names.toReversed().map((name) => result("a", "", name));
    const ids = idsOf(withDistinctCallIds([many, ...results]));
    expect([ids.at(names.length), ids.at(-1)]).toEqual(["a_50000", "a"]);
  });

  it("are told apart by the hundred thousand", () => {
    const messages = Array.from({ length: 100_000 }, () => [calls(["a", "f"]), result("a", "")]).flat();
    expect(idsOf(withDistinctCallIds(messages)).at(-1)).toBe("a_100000");
  });

  it("name results after the nearest call, where a result has a name", () => {
    const { body } = gemini.encodeRequest({ model: "m", messages: history });
    expect(body["contents"]).toMatchObject([
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

describe("ids that a provider does not take", () => {
  const long = "chatcmpl-tool-0123456789abcdef0123456789abcdef-and-more-than-others-have";
  const messages = [
    user,
    calls([long, "f"], [long, "g"], [`${long}.`, "h"], ["call_1", "i"]),
    ...[long, long, `${long}.`, "call_1"].map((id) => result(id, "")),
  ];
  const idsIn = ({ body }: { readonly body: Readonly<Record<string, unknown>> }): readonly string[] =>
    [...JSON.stringify(body).matchAll(/"(?:id|tool_call_id|call_id)":"(?<id>[^"]*)"/gu)].map(
      ({ groups }) => groups!["id"]!,
    );

  it.each([
    { what: "OpenAI's Chat Completions", format: openai("k").format, taken: /^.{1,40}$/u },
    { what: "OpenAI's Responses", format: openaiResponses("k").format, taken: /^.{1,64}$/u },
    { what: "Mistral", format: mistral("k").format, taken: /^[a-zA-Z0-9]{9}$/u },
  ])("are spelt as $what takes them, differently for each call and alike for its result", ({ format, taken }) => {
    const ids = idsIn(format.encodeRequest({ model: "m", messages }));
    expect(ids).toHaveLength(8);
    for (const id of ids) expect(id).toMatch(taken);
    expect(new Set(ids).size).toBe(4);
    expect(ids.slice(4)).toEqual(ids.slice(0, 4));
    const next = format.encodeRequest({ model: "m", messages: [...messages, calls(["call_2", "f"]), user] });
    expect(idsIn(next).slice(0, 8)).toEqual(ids);
  });

  it("stay as they are where they are taken", () => {
    const own = [user, calls(["abcDEF123", "f"]), result("abcDEF123", "")];
    expect(idsIn(mistral("k").format.encodeRequest({ model: "m", messages: own }))).toEqual(["abcDEF123", "abcDEF123"]);
    expect(idsIn(openai("k").format.encodeRequest({ model: "m", messages })).at(-1)).toBe("call_1");
  });

  const proxy = { baseUrl: "http://127.0.0.1:4000/v1" };

  it.each([
    { what: "a server at an address", format: openaiCompatible(proxy.baseUrl).format },
    { what: "a proxy with OpenAI's key", format: openai("k", proxy).format },
    { what: "a proxy that speaks Responses", format: openaiResponses("k", proxy).format },
    { what: "OpenRouter", format: openrouter("k").format },
    { what: "anybody who speaks Chat Completions", format: REQUEST_FORMATS["openai-chat"] },
    { what: "anybody who speaks Responses", format: REQUEST_FORMATS["openai-responses"] },
  ])("go back to $what as they came, because proofs may be kept in them", ({ format }) => {
    const id = `call_1__thought__${"CiQB0e2Kb2M=".repeat(30)}`;
    expect(idsIn(format.encodeRequest({ model: "m", messages: [user, calls([id, "f"]), result(id, "")] }))).toEqual([
      id,
      id,
    ]);
  });

  it.each(["https://api.openai.com/v1/", "https://eu.api.openai.com/v1", "https://mine.openai.azure.com/openai/v1"])(
    "are spelt as OpenAI takes them at %s",
    (baseUrl) => {
      for (const { format } of [openai("k", { baseUrl }), openaiResponses("k", { baseUrl })]) {
        expect(idsIn(format.encodeRequest({ model: "m", messages }))).not.toContain(long);
      }
    },
  );

  it("are spelt by the ten thousands, and without half a character", () => {
    const most = 50_000;
    const many = calls(...Array.from({ length: most }, (_, index): [string, string] => [`call_${index}`, "f"]));
    const ids = idsIn(mistral("k").format.encodeRequest({ model: "m", messages: [many] }));
    expect(new Set(ids).size).toBe(most);
    for (const count of [28, 29, 30, 31, 32, 33]) {
      const cut = calls([`${"x".repeat(count)}${"\u{1F600}".repeat(9)}`, "f"]);
      const [id] = idsIn(openai("k").format.encodeRequest({ model: "m", messages: [cut] }));
      expect(id).not.toContain("\\ud");
    }
  });
});
