import { describe, expect, it } from "vitest";
import { cutFrames as cut, namedFrames as named, readEvents, signalIn, textIn } from "../support/fetch-bytes.ts";
import { read } from "../support/official.ts";
import { toBytes } from "../support/wire-bodies.ts";

describe("servers of Responses that send no pieces", () => {
  const created = {
    type: "response.created",
    response: { id: "resp_1", model: "m", status: "in_progress", output: [] },
  };
  const place = { item_id: "msg_9", output_index: 0, content_index: 0 };
  const message = (words: string): object => ({
    id: "msg_9",
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: words, annotations: [] }],
  });

  it("are cut where the text is done", async () => {
    const payloads = await cut(
      "openai-responses",
      named(
        created,
        { type: "response.output_text.delta", ...place, delta: "Well, " },
        { type: "response.output_text.done", ...place, text: "Well, Hi END there" },
      ),
      { stop: ["END"] },
    );
    expect(JSON.stringify(payloads)).not.toContain("there");
    expect(payloads[2]).toMatchObject({ type: "response.output_text.delta", ...place, delta: "Hi " });
    expect(read(payloads.at(-1), "response", "output", 0, "content", 0, "text")).toBe("Well, Hi ");
  });

  it.each([
    ["response.refusal.done", "refusal"],
    ["response.reasoning_text.done", "text"],
    ["response.reasoning_summary_text.done", "text"],
  ])("are cut where another text is done: %s", async (type, field) => {
    const frames = named(created, { type, ...place, [field]: "Hi END there" });
    const payloads = await cut("openai-responses", frames, { stop: [{ text: "END", scope: "all" }] });
    expect(JSON.stringify(payloads)).not.toContain("there");
    expect(payloads[1]).toEqual({ type: type.replace("done", "delta"), ...place, delta: "Hi " });
  });

  it.each([
    ["response.content_part.done", { type: "output_text", text: "Hi END there" }, "response.output_text.delta"],
    ["response.content_part.done", { type: "refusal", refusal: "Hi END there" }, "response.refusal.delta"],
    ["response.content_part.done", { type: "reasoning_text", text: "Hi END there" }, "response.reasoning_text.delta"],
    [
      "response.reasoning_summary_part.done",
      { type: "summary_text", text: "Hi END there" },
      "response.reasoning_summary_text.delta",
    ],
  ])("are cut where a part is done: %s, %j", async (type, part, delta) => {
    const frames = named(created, { type, ...place, part });
    const payloads = await cut("openai-responses", frames, { stop: [{ text: "END", scope: "all" }] });
    expect(JSON.stringify(payloads)).not.toContain("there");
    expect(payloads[1]).toEqual({ type: delta, ...place, delta: "Hi " });
  });

  it("are cut at an item of which parts have come that nobody reads", async () => {
    const part = { type: "from_tomorrow", text: "Hello" };
    const payloads = await cut(
      "openai-responses",
      named(
        created,
        { type: "response.content_part.done", ...place, part },
        { type: "response.output_item.done", output_index: 0, item: message("Hi END there") },
      ),
      { stop: ["END"] },
    );
    expect(payloads[2]).toMatchObject({ type: "response.output_item.done", item: message("Hi ") });
  });

  it.each(["response.output_item.done", "response.completed"])("are cut at %s", async (type) => {
    const item = message("Hi END there");
    const last = { id: "resp_1", model: "m", status: "completed", output: [item], usage: { output_tokens: 9 } };
    const payloads = await cut(
      "openai-responses",
      named(created, type === "response.completed" ? { type, response: last } : { type, output_index: 0, item }),
      { stop: ["END"] },
    );
    expect(JSON.stringify(payloads)).not.toContain("there");
    expect(payloads.at(-1)).toMatchObject({ type: "response.completed", response: { output: [message("Hi ")] } });
  });
});

it("a server of Responses whose parts begin in the middle has nothing said twice", async () => {
  const frames = named(
    { type: "response.output_text.delta", output_index: 0, content_index: 2, delta: "Hi " },
    { type: "response.output_text.delta", output_index: 0, content_index: 2, delta: "END there" },
  );
  const payloads = await cut("openai-responses", frames, { stop: ["END"] });
  expect(read(payloads.at(-1), "response", "output", 0, "content", 2, "text")).toBe("Hi ");
  expect(textIn(readEvents("openai-responses", toBytes(named(...payloads))))).toBe("Hi ");
});

describe("servers of Responses that go back and forth", () => {
  const text = (output: number, content: number, delta: string): object => {
    return { type: "response.output_text.delta", output_index: output, content_index: content, delta };
  };
  const whole = (output: number, content: number, words: string): object => {
    return { type: "response.output_text.done", output_index: output, content_index: content, text: words };
  };
  const refusal = { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "No. " };
  const thought = { type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "Hm. " };
  const part = (words: string): object => {
    const told = { type: "output_text", text: words, annotations: [] };
    return { type: "response.content_part.done", output_index: 0, content_index: 0, part: told };
  };
  const item = (words: string): object => {
    const told = { type: "message", content: [{ type: "output_text", text: words }] };
    return { type: "response.output_item.done", output_index: 0, item: told };
  };

  it.each([
    ["from the second part of an item to the first", [text(0, 1, "Hello "), text(0, 0, "Hell")], "Hello Hell"],
    ["from the second item to the first", [text(1, 0, "Hello "), text(0, 0, "Hell")], "Hello Hell"],
    ["between items", [text(0, 0, "A"), text(1, 0, "Hello "), text(0, 1, "He")], "AHello He"],
    ["between kinds in one place", [text(0, 0, "Hi "), refusal, text(0, 0, "you ")], "Hi No. you "],
    ["from thinking to text in one place", [thought, text(0, 0, "Hi ")], "Hi "],
    ["to a place that is far away", [text(0, 1000, "Hi ")], "Hi "],
    ["from a whole to a part of it", [text(0, 0, "Hi "), part("H"), whole(0, 0, "Hi you")], "Hi you"],
    ["into an item that is done", [item("Hi "), text(0, 0, "you "), whole(0, 0, "Hi you all ")], "Hi you all "],
    ["to an item that is done twice", [item("Hi "), item("Hello "), text(0, 0, "you ")], "Hi you "],
  ])("have nothing said twice: %s", async (_name, events, shown) => {
    for (const last of [text(0, 0, "END there"), text(7, 0, "END there"), whole(7, 0, "END there")]) {
      const payloads = await cut("openai-responses", named(...events, last), { stop: ["END"] });
      expect(JSON.stringify(payloads)).not.toContain("there");
      expect(payloads.at(-1)).toMatchObject({ type: "response.completed" });
      expect(textIn(readEvents("openai-responses", toBytes(named(...payloads))))).toBe(shown);
    }
  });
});

it("a server of Responses whose calls have no ids has them said once", async () => {
  const place = { output_index: 0 };
  const item = { type: "function_call", name: "find", arguments: "" };
  const frames = named(
    { type: "response.output_item.added", ...place, item },
    { type: "response.function_call_arguments.delta", ...place, delta: '{"q":"Hi ' },
    { type: "response.function_call_arguments.delta", ...place, delta: 'END there"}' },
  );
  const payloads = await cut("openai-responses", frames, { stop: [{ text: "END", scope: "all" }] });
  const output = [{ ...item, arguments: '{"q":"Hi ', status: "incomplete" }];
  expect(payloads.at(-1)).toMatchObject({ type: "response.incomplete", response: { output } });
  const calls = readEvents("openai-responses", toBytes(named(...payloads)));
  expect(calls.filter(({ type }) => type === "tool-call-start")).toHaveLength(1);
});

describe("servers of Responses that leave out the place of an item", () => {
  it.each([{ item_id: "msg_9" }, {}])("are ended in the same way, so that nothing is said twice: %j", async (name) => {
    const frames = named(
      { type: "response.output_text.delta", ...name, delta: "Hi " },
      { type: "response.output_text.delta", ...name, delta: "END there" },
    );
    const payloads = await cut("openai-responses", frames, { stop: ["END"] });
    expect(payloads.map(({ type }) => type)).toEqual([
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(payloads.filter((payload) => "output_index" in payload)).toEqual([]);
    expect(textIn(readEvents("openai-responses", toBytes(named(...payloads))))).toBe("Hi ");
  });

  it("have their items told apart by their ids", async () => {
    const frames = named(
      { type: "response.output_text.delta", item_id: "msg_1", delta: "One. " },
      { type: "response.output_text.delta", item_id: "msg_2", delta: "Two. " },
      { type: "response.output_text.delta", item_id: "msg_2", delta: "END there" },
    );
    const payloads = await cut("openai-responses", frames, { stop: ["END"] });
    const output = [
      { id: "msg_1", content: [{ text: "One. " }] },
      { id: "msg_2", content: [{ text: "Two. " }] },
    ];
    expect(payloads.at(-1)).toMatchObject({ type: "response.completed", response: { output } });
    expect(textIn(readEvents("openai-responses", toBytes(named(...payloads))))).toBe("One. Two. ");
  });
});

describe("servers of Responses that work on several items at once", () => {
  const shell = (index: number, ...command: readonly string[]) => ({
    output_index: index,
    item: {
      type: "local_shell_call",
      id: `it_${index}`,
      call_id: `call_${index}`,
      status: "completed",
      action: { type: "exec", command },
    },
  });
  const added = (call: object) => ({ type: "response.output_item.added", ...call });
  const done = (call: object) => ({ type: "response.output_item.done", ...call });
  const rules = { stop: [{ text: "END", scope: "all" as const }] };

  it("show nothing of a call that is not done when another is", async () => {
    const [first, second] = [shell(0, "END there"), shell(1, "ls")];
    const frames = named(added(first), added(second), done(second), done(first));
    const payloads = await cut("openai-responses", frames, rules);
    expect(JSON.stringify(payloads)).not.toContain("there");
    expect(payloads.slice(0, -1)).toMatchObject([added(second), done(second)]);
    expect(read(payloads.at(-1), "response", "output")).toEqual([second.item]);
  });

  it("show nothing of calls that the whole answer alone tells behind the end", async () => {
    const [first, second] = [shell(0, "ls"), shell(1, "END there")];
    const response = { status: "completed", output: [first.item, second.item] };
    const frames = named(added(first), added(second), { type: "response.completed", response });
    const payloads = await cut("openai-responses", frames, rules);
    expect(JSON.stringify(payloads)).not.toContain("there");
    expect(read(payloads.at(-1), "response", "output")).toEqual([first.item]);
  });

  it("end as they were told to where their items were done in another order", async () => {
    const message = (index: number, text: string) => ({
      output_index: index,
      item: { type: "message", role: "assistant", id: `it_${index}`, content: [{ type: "output_text", text }] },
    });
    const items = [done(message(1, "Second")), done(message(0, "One")), done(message(2, "END there"))];
    const bytes = toBytes(named(...(await cut("openai-responses", named(...items), rules))));
    const events = readEvents("openai-responses", bytes);
    expect(textIn(events)).toBe("SecondOne");
    expect(signalIn(events)).toMatchObject({ reason: "stop_sequence", stopSequence: "END" });
  });
});
