import { describe, expect, it } from "vitest";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import type { Told } from "../support/answers.ts";
import {
  chatChunk,
  chatStream,
  chatWhole,
  dataEvents,
  geminiChunk,
  messagesStream,
  namedEvents,
  responsesStream,
  responsesWhole,
  toBytes,
} from "../support/wire-bodies.ts";

function decode(format: WireFormatName, body: string | object): Told {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return tell(decodeChunks(ANSWER_FORMATS[format], [toBytes(text)]));
}

const finish = (value: string): unknown => chatChunk({}, { finish_reason: value });
const pieces = (...calls: readonly unknown[]): readonly unknown[] =>
  calls.map((call) => chatChunk({ tool_calls: [call] }));
const whole = (name: string, json: string): object => ({ name, arguments: json, isEnded: true });
const piece = (index: number | undefined, id: string, name: string, json: string): object => ({
  ...(index !== undefined && { index }),
  id,
  function: { name, arguments: json },
});

describe("calls in a chat", () => {
  it("are none where every piece of a text has an empty one beside it", () => {
    const filled = (content: string): unknown => chatChunk({ content, tool_calls: [piece(0, "", "", "{}")] });
    const told = decode("openai-chat", chatStream(filled(" you"), filled("!"), finish("stop")));
    expect(told).toMatchObject({ text: "Hello you!", toolCalls: [], signal: { reason: "natural_completion" } });
  });

  it.each<[string, readonly unknown[], readonly object[]]>([
    ["with an index each", [piece(0, "a", "f", "{}"), piece(1, "b", "g", "{}")], [whole("f", "{}"), whole("g", "{}")]],
    [
      "all with the index 0 and an id each",
      [piece(0, "a", "f", '{"x":1}'), piece(0, "b", "g", '{"y":2}')],
      [whole("f", '{"x":1}'), whole("g", '{"y":2}')],
    ],
    [
      "all with the index 0 and no id",
      [piece(0, "", "f", '{"x":1}'), piece(0, "", "g", '{"y":2}')],
      [whole("f", '{"x":1}'), whole("g", '{"y":2}')],
    ],
    [
      "with nothing to tell them apart",
      [piece(undefined, "", "f", '{"x":1}'), piece(undefined, "", "g", '{"y":2}')],
      [whole("f", '{"x":1}'), whole("g", '{"y":2}')],
    ],
    [
      "interleaved, with an id and no index",
      [
        piece(undefined, "a", "f", '{"x"'),
        piece(undefined, "b", "g", '{"y"'),
        piece(undefined, "a", "", ":1}"),
        piece(undefined, "b", "", ":2}"),
      ],
      [whole("f", '{"x":1}'), whole("g", '{"y":2}')],
    ],
    [
      "interleaved, with the same id",
      [piece(0, "x", "f", '{"x"'), piece(1, "x", "g", '{"y"'), piece(0, "", "", ":1}"), piece(1, "", "", ":2}")],
      [whole("f", '{"x":1}'), whole("g", '{"y":2}')],
    ],
    [
      "with an id that we would have made up for another",
      [piece(0, "call_2", "f", "{}"), piece(1, "", "g", "{}")],
      [whole("f", "{}"), whole("g", "{}")],
    ],
    [
      "with a name in pieces",
      [piece(0, "a", "get_", ""), piece(0, "", "weather", ""), piece(0, "", "", "{}")],
      [whole("get_weather", "{}")],
    ],
    ["with a name in every piece", [piece(0, "a", "f", '{"x"'), piece(0, "a", "f", ":1}")], [whole("f", '{"x":1}')]],
    [
      "with an id at first and then nothing",
      [
        piece(undefined, "a", "f", ""),
        { function: { arguments: '{"x"' } },
        { function: { arguments: ":1}" } },
        piece(undefined, "b", "g", '{"y"'),
        { function: { arguments: ":2}" } },
      ],
      [whole("f", '{"x":1}'), whole("g", '{"y":2}')],
    ],
    [
      "with an index that is a text",
      [
        { index: "0", ...piece(undefined, "a", "f", "") },
        { index: "0", function: { arguments: '{"x":1}' } },
      ],
      [whole("f", '{"x":1}')],
    ],
    [
      "with an index that counts the pieces",
      [piece(0, "a", "f", ""), { index: 1, function: { arguments: '{"x"' } }, piece(2, "", "", ":1}")],
      [whole("f", '{"x":1}')],
    ],
    [
      "with the index of another call at first",
      [piece(0, "a", "f", "{}"), piece(0, "b", "g", ""), { index: 1, function: { arguments: '{"y":2}' } }],
      [whole("f", "{}"), whole("g", '{"y":2}')],
    ],
    [
      "with the same id at another index",
      [piece(0, "a", "f", '{"x"'), { index: 1, id: "a", function: { arguments: ":1}" } }],
      [whole("f", '{"x":1}')],
    ],
    [
      "with the arguments before the name",
      [
        piece(0, "a", "f", "{}"),
        { index: 1, id: "b", function: { arguments: '{"y"' } },
        { index: 1, function: { arguments: ":2" } },
        piece(1, "", "g", "}"),
      ],
      [whole("f", "{}"), whole("g", '{"y":2}')],
    ],
    [
      "with a filling before the name and the arguments",
      [{ index: 0, function: { name: "", arguments: "{}" } }, piece(0, "a", "f", '{"x":1}')],
      [whole("f", '{"x":1}')],
    ],
    [
      "with the only arguments before the name",
      [{ index: 0, id: "a", function: { arguments: "{}" } }, piece(0, "", "f", "")],
      [whole("f", "{}")],
    ],
    ["with the id before the name and no index", [{ id: "a" }, piece(undefined, "", "f", "{}")], [whole("f", "{}")]],
    ["with the id before the name", [{ index: 0, id: "a" }, piece(0, "", "f", "{}")], [whole("f", "{}")]],
    ["without arguments", [piece(0, "a", "f", "")], [whole("f", "{}")]],
    [
      "with arguments that are an object",
      [{ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } }],
      [whole("f", '{"x":1}')],
    ],
  ])("%s are told apart", (_name, calls, expected) => {
    const told = decode("openai-chat", chatStream(...pieces(...calls), finish("tool_calls")));
    expect(told.toolCalls).toEqual(expected);
    expect(told.signal).toMatchObject({ reason: "tool_calls", confidence: "high" });
  });

  it.each<[string, unknown]>([
    ["nothing in it", {}],
    ["null", null],
    ["empty fields", piece(0, "", "", "")],
  ])("that have %s are no calls", (_name, call) => {
    const told = decode("openai-chat", chatStream(...pieces(call), finish("stop")));
    expect(told).toMatchObject({ toolCalls: [], signal: { reason: "natural_completion" } });
  });

  it("that have arguments and no name leave no other to be run without any", () => {
    const stray = { id: "b", function: { arguments: '{"x":1}' } };
    const told = decode(
      "openai-chat",
      chatStream(...pieces(piece(undefined, "a", "f", ""), stray), finish("tool_calls")),
    );
    expect(told.toolCalls).toEqual([{ name: "f", arguments: "", isEnded: false }]);
    expect(told.signal).toMatchObject({ reason: "error_termination", detail: "malformed_event" });
  });

  it("whose arguments wait for a name for too long are not whole", () => {
    const long = `{"x":"${"y".repeat(1_048_576)}`;
    const calls = [{ index: 0, id: "a", function: { arguments: long } }, piece(0, "", "f", '"}')];
    const told = decode("openai-chat", chatStream(...pieces(...calls), finish("tool_calls")));
    expect(told.toolCalls).toMatchObject([{ name: "f", isEnded: false }]);
    expect(told.signal).toMatchObject({ reason: "tool_calls", detail: "incomplete_arguments" });
  });

  it("whose arguments are plain text have them as an object", () => {
    const custom = (input: string): object => ({ index: 0, id: "c", type: "custom", custom: { name: "sql", input } });
    const expected = [whole("sql", JSON.stringify({ input: 'SELECT "a\n1"' }))];
    expect(
      decode("openai-chat", chatWhole({ tool_calls: [custom('SELECT "a\n1"')] }, { finish_reason: "tool_calls" }))
        .toolCalls,
    ).toEqual(expected);
    const streamed = chatStream(
      ...pieces(custom('SELECT "a'), { index: 0, custom: { input: '\n1"' } }),
      finish("tool_calls"),
    );
    expect(decode("openai-chat", streamed).toolCalls).toEqual(expected);
    const cut = chatStream(...pieces(custom("SELECT")), finish("length"));
    expect(decode("openai-chat", cut).toolCalls[0]).toMatchObject({ isEnded: false });
  });
});

describe("calls in a chat of several messages", () => {
  const called = (id: string, name: string): object => ({ ...piece(undefined, id, name, "{}"), type: "function" });
  const result = { role: "tool", tool_call_id: "a", name: "web_search", content: "Secret. " };
  const answer = (...messages: readonly object[]): object => ({
    id: "m",
    object: "chat.completion",
    choices: [{ index: 0, messages, finish_reason: "stop" }],
  });

  it("that the provider has run are none to run, and their results are no text", () => {
    const ran = { role: "assistant", content: "", tool_calls: [called("a", "web_search")] };
    const told = decode("mistral-chat", answer(ran, result, { role: "assistant", content: "Done." }));
    expect(told).toMatchObject({ text: "Done.", toolCalls: [], signal: { reason: "natural_completion" } });
  });

  it("are to be run where no result is there", () => {
    const both = { role: "assistant", content: "", tool_calls: [called("a", "web_search"), called("b", "f")] };
    const told = decode("mistral-chat", answer(both, result));
    expect(told).toMatchObject({ text: "", toolCalls: [whole("f", "{}")], signal: { reason: "tool_calls" } });
  });
});

describe("calls without an id", () => {
  const streamed = chatStream(...pieces(piece(0, "", "f", "{}"), piece(1, "", "g", "{}")));
  const ollama = (time: string): object => ({
    model: "m",
    created_at: time,
    message: { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: {} } }] },
    done: true,
    done_reason: "stop",
  });
  const gemini = (responseId: string): object => ({
    ...geminiChunk({ finishReason: "STOP" }, { functionCall: { name: "f" } }, { functionCall: { name: "f" } }),
    responseId,
  });
  const idsOf = (format: WireFormatName, body: string | object): readonly string[] =>
    decodeChunks(ANSWER_FORMATS[format], [toBytes(typeof body === "string" ? body : JSON.stringify(body))]).flatMap(
      (event) => (event.type === "tool-call-start" ? [event.callId] : []),
    );

  it.each<[string, WireFormatName, string | object, string | object]>([
    ["Gemini, by the answer's id", "gemini", gemini("r1"), gemini("r2")],
    ["Ollama, by its time", "ollama-chat", ollama("2026-11-15T10:00:00.1Z"), ollama("2026-11-15T10:00:00.2Z")],
    ["a chat", "openai-chat", streamed, chatWhole({ tool_calls: [piece(0, "", "f", "{}")] }, {}, { id: "chat_2" })],
    [
      "a chat without an id, by its time",
      "openai-chat",
      chatWhole({ tool_calls: [piece(0, "", "f", "{}")] }, {}, { id: "", created: 1 }),
      chatWhole({ tool_calls: [piece(0, "", "f", "{}")] }, {}, { id: "", created: 2 }),
    ],
  ])("have one in %s that no call of another answer has", (_name, format, one, other) => {
    const ids = [...idsOf(format, one), ...idsOf(format, other)];
    expect(new Set(ids).size).toBe(ids.length);
    // OpenAI takes 40 characters, Anthropic no others than these.
    for (const id of ids) expect(id).toMatch(/^call_[\w-]{1,35}$/u);
    expect(idsOf(format, one)).toEqual(ids.slice(0, idsOf(format, one).length));
  });
});

describe("calls in Gemini", () => {
  const call = (functionCall: object): object => geminiChunk({}, { functionCall });

  it("that come value by value are one call", () => {
    const stream = dataEvents(
      call({ name: "get_weather", willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.city", stringValue: "Par", willContinue: true }], willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.city", stringValue: "is" }], willContinue: true }),
      call({
        partialArgs: [
          { jsonPath: "$.days[1].hot", boolValue: true },
          { jsonPath: "$['a b']", numberValue: 2 },
        ],
        willContinue: true,
      }),
      call({}),
      geminiChunk({ finishReason: "STOP" }, { text: "" }),
    );
    const { toolCalls, signal } = decode("gemini", stream);
    expect(toolCalls).toEqual([whole("get_weather", '{"city":"Paris","days":[null,{"hot":true}],"a b":2}')]);
    expect(signal).toMatchObject({ reason: "tool_calls", confidence: "high" });
  });

  it("that come value by value and at once are one as well", () => {
    const stream = dataEvents(call({ name: "f", partialArgs: [{ jsonPath: "$.city", stringValue: "Paris" }] }));
    expect(decode("gemini", stream).toolCalls).toEqual([whole("f", '{"city":"Paris"}')]);
  });

  it("go on while one of their values does", () => {
    const stream = dataEvents(
      call({ name: "rm", partialArgs: [{ jsonPath: "$.path", stringValue: "/home/me", willContinue: true }] }),
      call({ partialArgs: [{ jsonPath: "$.path", stringValue: "/tmp/x" }] }),
      call({}),
      geminiChunk({ finishReason: "STOP" }, { text: "" }),
    );
    expect(decode("gemini", stream).toolCalls).toEqual([whole("rm", '{"path":"/home/me/tmp/x"}')]);
  });

  it.each([
    { path: String.raw`$['it\'s']`, name: "it's" },
    { path: String.raw`$["it's"]`, name: "it's" },
    { path: String.raw`$["a\"b"]`, name: 'a"b' },
    { path: String.raw`$['a\\n\n\u00e9']`, name: "a\\n\n\u00e9" },
    { path: "$['x][0']", name: "x][0" },
  ])("may have a value at $path", ({ path, name }) => {
    const stream = dataEvents(call({ name: "f", partialArgs: [{ jsonPath: path, numberValue: 1 }] }));
    expect(decode("gemini", stream).toolCalls).toEqual([whole("f", JSON.stringify({ [name]: 1 }))]);
  });

  it.each([
    { word: "MAX_TOKENS", signal: { reason: "token_limit_reached" } },
    { word: "STOP", signal: { reason: "tool_calls", confidence: "medium", detail: "incomplete_arguments" } },
  ])("that still go on at the end ($word) are not whole, and keep what came", ({ word, signal }) => {
    const stream = dataEvents(
      call({ name: "f", willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.a", stringValue: "x" }], willContinue: true }),
      geminiChunk({ finishReason: word }, { text: "" }),
    );
    expect(decode("gemini", stream)).toMatchObject({
      toolCalls: [{ name: "f", arguments: '{"a":"x"', isEnded: false }],
      signal,
    });
  });

  it.each([
    { by: "an id", first: { id: "1", name: "f" }, second: { id: "2", name: "f", partialArgs: [] } },
    { by: "a name", first: { name: "f" }, second: { name: "g" } },
    { by: "a name, whatever its id", first: { id: "1", name: "f" }, second: { id: "1", name: "g", args: { b: 1 } } },
    { by: "arguments", first: { name: "f" }, second: { name: "f", args: { b: 1 } } },
  ])("are broken off by another, which is told by $by", ({ first, second }) => {
    const stream = dataEvents(
      call({ ...first, willContinue: true }),
      call({ partialArgs: [{ jsonPath: "$.a", numberValue: 1 }], willContinue: true }),
      call(second),
      geminiChunk({ finishReason: "STOP" }, { text: "" }),
    );
    expect(decode("gemini", stream)).toMatchObject({
      toolCalls: [
        { name: "f", arguments: '{"a":1', isEnded: false },
        { name: second.name, arguments: second.args === undefined ? "{}" : '{"b":1}', isEnded: true },
      ],
      signal: { reason: "tool_calls", detail: "incomplete_arguments" },
    });
  });

  it.each([{}, { args: {} }, { args: null }])("that name themselves in every piece are one call, with %j", (fields) => {
    const named = { id: "1", name: "f", ...fields };
    const stream = dataEvents(
      call({ ...named, willContinue: true }),
      call({ ...named, partialArgs: [{ jsonPath: "$.a", numberValue: 1 }], willContinue: true }),
      call(named),
    );
    expect(decode("gemini", stream).toolCalls).toEqual([whole("f", '{"a":1}')]);
  });

  it("have their proof, whichever piece it comes with", () => {
    const parts = [{ name: "f", willContinue: true }, { willContinue: true }, {}];
    for (const signed of parts.keys()) {
      const chunks = parts.map((functionCall, index) => {
        return geminiChunk({}, { functionCall, ...(index === signed && { thoughtSignature: "proof" }) });
      });
      const events = decodeChunks(ANSWER_FORMATS.gemini, [toBytes(dataEvents(...chunks))]);
      expect(events.find(({ type }) => type === "tool-call-end")).toMatchObject({ signature: "proof" });
    }
  });
});

describe("calls in Responses", () => {
  const custom = { type: "custom_tool_call", call_id: "c", name: "run", input: "rm -rf /tmp" };
  const shell = { type: "shell_call", call_id: "s", action: { commands: ["ls"] } };
  const limit = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };

  it.each([custom, shell])("$type that was broken off is not whole", (item) => {
    const broken = { ...item, status: "incomplete" };
    expect(decode("openai-responses", responsesWhole(limit, broken)).toolCalls[0]).toMatchObject({ isEnded: false });
    const stream = responsesStream("response.incomplete", limit, broken);
    expect(decode("openai-responses", stream).toolCalls[0]).toMatchObject({ isEnded: false });
    const done = { ...item, status: "completed" };
    expect(decode("openai-responses", responsesWhole({ status: "completed" }, done)).toolCalls[0]?.isEnded).toBe(true);
  });

  it.each<[string, readonly object[]]>([
    [
      "a search of xAI's",
      [{ type: "custom_tool_call", call_id: "x", name: "x_keyword_search", input: "{}", status: "completed" }],
    ],
    ["a shell in a container", [{ ...shell, environment: { type: "container_reference", container_id: "c" } }]],
    ["a shell whose output is there", [shell, { type: "shell_call_output", call_id: "s", output: [] }]],
    ["a search for tools", [{ type: "tool_search_call", call_id: null, execution: "server", arguments: { q: "x" } }]],
    ["a type that is a word of the language", [{ type: "toString" }, { type: "constructor" }]],
  ])("that the provider runs itself are not the caller's: %s", (_name, items) => {
    expect(
      decode("openai-responses", responsesWhole({ status: "completed" }, ...(items as Record<string, unknown>[]))),
    ).toMatchObject({
      toolCalls: [],
      signal: { reason: "natural_completion" },
    });
  });

  it.each([
    { item: { type: "computer_call", action: { type: "wait" } }, json: '{"type":"wait"}' },
    {
      item: { type: "computer_call", actions: [{ type: "click", x: 1 }, { type: "wait" }] },
      json: '{"actions":[{"type":"click","x":1},{"type":"wait"}]}',
    },
    { item: { type: "tool_search_call", execution: "client", arguments: { query: "crm" } }, json: '{"query":"crm"}' },
  ])("of another kind than functions hold what they ask for: $item", ({ item, json }) => {
    const asked = { ...item, id: "i1", call_id: "c", status: "completed" };
    for (const body of [
      responsesWhole({ status: "completed" }, asked),
      responsesStream("response.completed", { status: "completed" }, asked),
    ]) {
      expect(decode("openai-responses", body)).toMatchObject({
        toolCalls: [whole(item.type, json)],
        signal: { reason: "tool_calls", confidence: "high" },
      });
    }
  });

  it.each([1, 2, 3, 40])("whose arguments are text come as they are written, in pieces of %i", (size) => {
    const input = 'Say "hi"\n🌍 \\ and go';
    const place = { item_id: "i1", output_index: 1 };
    const cuts = [...Array(Math.ceil(input.length / size)).keys()].map((at) => input.slice(at * size, (at + 1) * size));
    const item = { ...custom, id: "i1", input: "", status: "in_progress" };
    const stream = namedEvents(
      { type: "response.output_item.added", output_index: 1, item } as { type: string },
      ...cuts.map((delta) => ({ type: "response.custom_tool_call_input.delta", ...place, delta })),
    );
    const done = { ...item, input, status: "completed" };
    const ends = namedEvents(
      { type: "response.custom_tool_call_input.done", ...place, input } as { type: string },
      { type: "response.output_item.done", output_index: 1, item: done } as { type: string },
      { type: "response.completed", response: { status: "completed", output: [done] } } as { type: string },
    );
    const told = decode("openai-responses", stream).toolCalls[0];
    expect(told).toMatchObject({ name: "run", isEnded: false });
    expect(JSON.parse(`${told?.arguments}"}`)).toEqual({ input });
    const [call, ...more] = decode("openai-responses", `${stream}${ends}`).toolCalls;
    expect(call).toMatchObject({ name: "run", isEnded: true });
    expect(JSON.parse(call?.arguments ?? "")).toEqual({ input });
    expect(more).toEqual([]);
  });

  it("that have no ids, once each although the whole answer repeats them", () => {
    const item = (name: string) => ({ type: "function_call", name, arguments: "{}" });
    const stream = namedEvents(
      { type: "response.output_item.done", output_index: 0, item: item("f") } as { type: string },
      { type: "response.output_item.done", output_index: 1, item: item("g") } as { type: string },
      {
        type: "response.completed",
        response: { status: "completed", output: [item("f"), item("g"), item("h")] },
      } as { type: string },
    );
    const names = decode("openai-responses", stream).toolCalls.map(({ name }) => name);
    expect(names).toEqual(["f", "g", "h"]);
  });

  it("that have their arguments as an object", () => {
    const item = { type: "function_call", call_id: "c", name: "f", arguments: { x: 1 } };
    expect(decode("openai-responses", responsesWhole({ status: "completed" }, item)).toolCalls).toEqual([
      whole("f", '{"x":1}'),
    ]);
  });

  it("that only the last event tells are not lost", () => {
    const one = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
    const other = { type: "function_call", call_id: "b", name: "g", arguments: "{}" };
    const hosted = { type: "web_search_call", id: "w" };
    const refused = { type: "message", content: [{ type: "refusal", refusal: "No." }] };
    const end = (...output: readonly object[]): object => ({
      type: "response.completed",
      response: { status: "completed", output },
    });
    const done = (item: object, index: number): object => ({
      type: "response.output_item.done",
      output_index: index,
      item,
    });
    const read = (...events: readonly object[]): Told =>
      decode("openai-responses", namedEvents(...(events as { type: string }[])));
    expect(read(done(one, 0), end(one, other)).toolCalls).toEqual([whole("f", "{}"), whole("g", "{}")]);
    expect(read(done(hosted, 0), end(hosted, one)).toolCalls).toEqual([whole("f", "{}")]);
    expect(
      read({ type: "response.output_item.done", item: one }, { type: "response.output_item.done", item: other }, end())
        .toolCalls,
    ).toEqual([whole("f", "{}"), whole("g", "{}")]);
    const said = { type: "message", content: [{ type: "output_text", text: "One" }] };
    const more = { type: "message", content: [{ type: "output_text", text: "Two" }] };
    expect(read(done(said, 0), end(said, more)).text).toBe("OneTwo");
    expect(read(done(said, 0), end(said, refused)).signal).toMatchObject({
      reason: "content_filtered",
      detail: "refusal",
    });
    expect(
      read(
        done({ ...said, content: [{ type: "output_text", text: "OK, let me look." }] }, 0),
        done({ ...said, content: [{ type: "output_text", text: "OK" }] }, 1),
        end(
          { type: "message", content: [{ type: "output_text", text: "OK, let me look." }] },
          { type: "message", content: [{ type: "output_text", text: "OK" }] },
        ),
      ).text,
    ).toBe("OK, let me look.OK");
  });
});

describe("calls in Messages", () => {
  const start = {
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id: "t", name: "f", input: {} },
  };
  const stop = { type: "content_block_stop", index: 1 };
  const delta = { type: "input_json_delta", partial_json: '{"x":1}' };
  const input = (index: number | undefined) => ({
    type: "content_block_delta",
    ...(index !== undefined && { index }),
    delta,
  });

  it.each([
    ["in another place", [start, input(2), stop]],
    ["in no place", [start, input(undefined), stop]],
    ["behind its end", [start, stop, input(1)]],
  ])("are not run without arguments that came %s", (_name, blocks) => {
    const told = decode("anthropic-messages", messagesStream({ stop_reason: "tool_use" }, ...blocks));
    expect(told.toolCalls).toEqual([{ name: "f", arguments: "", isEnded: false }]);
    expect(told.signal).toMatchObject({ reason: "error_termination", detail: "malformed_event" });
  });
});

describe("calls in Bedrock", () => {
  it("that the provider runs itself are not the caller's", () => {
    const toolUse = { type: "server_tool_use", toolUseId: "s", name: "search", input: {} };
    const body = { output: { message: { content: [{ toolUse }, { text: "Found" }] } }, stopReason: "end_turn" };
    expect(decode("bedrock-converse", body)).toMatchObject({ toolCalls: [], signal: { reason: "natural_completion" } });
  });
});
