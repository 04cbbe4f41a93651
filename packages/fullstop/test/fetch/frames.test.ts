import { describe, expect, it } from "vitest";
import { createFetch } from "../../src/adapters/fetch/index.ts";
import type { TerminationSignal } from "../../src/index.ts";
import {
  ADDRESSES,
  cutFrames as cut,
  guardBytes,
  namedFrames as named,
  readEvents,
  textIn,
} from "../support/fetch-bytes.ts";
import { read } from "../support/official.ts";
import { chatChunk, dataEvents, geminiChunk, toBytes } from "../support/wire-bodies.ts";

describe("the event in which a rule ends the answer", () => {
  it("of Chat keeps its own fields, and loses its ending and what repeats its text", async () => {
    const logprobs = { content: [{ token: "STOP", logprob: -0.1 }] };
    const delta = { role: "assistant", content: "Hi STOP there", reasoning: "Hm" };
    const ending = { logprobs, finish_reason: "stop", native_finish_reason: "end" };
    const rest = { system_fingerprint: "fp_1", provider: "Somebody", obfuscation: "STOP" };
    const [first, last, ...more] = await cut("openai-chat", dataEvents(chatChunk(delta, ending, rest)), {
      stop: ["STOP"],
    });
    const head = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "m" };
    const own = { ...head, system_fingerprint: "fp_1", provider: "Somebody" };
    const shown = { role: "assistant", content: "Hi ", reasoning: "Hm" };
    expect(first).toEqual({ ...own, choices: [{ index: 0, delta: shown, finish_reason: null }] });
    expect(last).toMatchObject({ ...own, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    expect(more).toEqual([]);
  });

  it("keeps all of its fields but the ending where all of its text is shown", async () => {
    const logprobs = { content: [{ token: "Hi", logprob: -0.1 }] };
    const chunk = chatChunk({ content: "Hi" }, { logprobs, finish_reason: "stop" });
    const [first, last] = await cut("openai-chat", dataEvents(chunk), { maxTokens: 1 });
    expect(first).toEqual(chatChunk({ content: "Hi" }, { logprobs }));
    expect(read(last, "choices", 0, "finish_reason")).toBe("length");
  });

  it("is cut by what came before it, also where blanks stand before the first", async () => {
    const start = chatChunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "" } }] });
    const piece = chatChunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":"Hi STOP' } }] });
    const frames = await cut("openai-chat", ` ${dataEvents(start, piece)}`, { stop: [{ text: "STOP", scope: "all" }] });
    expect(JSON.stringify(frames)).toContain("Hi ");
    expect(JSON.stringify(frames.slice(0, -1))).not.toContain("STOP");
  });

  it("of Messages leaves no block open, and the counts that are known", async () => {
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      usage: { input_tokens: 7, output_tokens: 1 },
    };
    const frames = named(
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi ST" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "OP there" } },
    );
    const payloads = await cut("anthropic-messages", frames, { stop: ["STOP"] });
    expect(payloads.map(({ type, index }) => [type, index])).toEqual([
      ["message_start", undefined],
      ["content_block_start", 0],
      ["content_block_delta", 0],
      ["content_block_stop", 0],
      ["message_delta", undefined],
      ["message_stop", undefined],
    ]);
    expect(payloads[2]).toMatchObject({ delta: { text: "Hi " } });
    expect(payloads[4]).toMatchObject({
      delta: { stop_reason: "stop_sequence", stop_sequence: "STOP" },
      usage: { input_tokens: 7, output_tokens: 1 },
    });
  });

  it("of Gemini loses its ending and what quotes its text", async () => {
    const grounding = { groundingSupports: [{ segment: { text: "Hi STOP" } }] };
    const chunk = {
      ...geminiChunk({ finishReason: "STOP", groundingMetadata: grounding }, { text: "Hi END" }),
      mine: 1,
    };
    const [first, last] = await cut("gemini", dataEvents(chunk), { stop: ["END"], maxCharacters: 90 });
    expect(first).toEqual({ ...geminiChunk({}, { text: "Hi " }), mine: 1 });
    expect(last).toMatchObject({ responseId: "r1", modelVersion: "m", candidates: [{ finishReason: "STOP" }] });
  });

  it("shows no more where what is read stands in it twice", async () => {
    const [choice, twice] = [{ content: "One. " }, { content: "Hi END there" }].map((delta) => ({ index: 0, delta }));
    const chat = await cut("openai-chat", dataEvents({ choices: [choice, twice] }), { stop: ["END"] });
    expect(chat[0]).toMatchObject({ choices: [choice, { delta: { content: "Hi " } }] });
    const [first, second] = ["One. ", "Hi END there"].map((text) => ({ index: 0, content: { parts: [{ text }] } }));
    const gemini = await cut("gemini", dataEvents({ candidates: [first, second] }), { stop: ["END"] });
    expect(gemini[0]).toMatchObject({ candidates: [first, { content: { parts: [{ text: "Hi " }] } }] });
  });

  it("leaves answers that no rule looks at as they came, and closes the connection all the same", async () => {
    const [said, other] = ["Hi END there", "Some other END of it"];
    const chat = [
      { index: 1, delta: { content: other }, finish_reason: "stop" },
      { index: 0, delta: { content: said } },
    ];
    const stream = await cut("openai-chat", dataEvents({ choices: chat }), { stop: ["END"] });
    expect(stream[0]).toMatchObject({ choices: [chat[0], { index: 0, delta: { content: "Hi " } }] });
    expect(stream[1]).toMatchObject({ choices: [{ index: 0, finish_reason: "stop" }] });
    const messages = [0, 1].map((index) => ({
      index,
      message: { content: [said, other][index] },
      finish_reason: "stop",
    }));
    const { bytes } = await guardBytes("openai-chat", [toBytes(JSON.stringify({ choices: messages }))], {
      stop: ["END"],
    });
    const choices = read(JSON.parse(Buffer.from(bytes).toString()), "choices");
    expect(choices).toMatchObject([{ message: { content: "Hi " } }, messages[1]]);

    const candidates = [said, other].map((text, index) => ({ index, content: { parts: [{ text }] } }));
    const gemini = await cut("gemini", dataEvents({ candidates }), { stop: ["END"] });
    expect(gemini[0]).toMatchObject({ candidates: [{ content: { parts: [{ text: "Hi " }] } }, candidates[1]] });
    const whole = await guardBytes("gemini", [toBytes(JSON.stringify({ candidates }))], { stop: ["END"] });
    expect(read(JSON.parse(Buffer.from(whole.bytes).toString()), "candidates", 1)).toEqual(candidates[1]);
  });

  it("loses an error and an ending of another fullstop's, which came behind the text", async () => {
    const fullstop = { reason: "repetition_detected", message: 'Repetition detected: "there"' };
    const chunk = { ...chatChunk({ content: "Hi END there" }), error: { message: "there" }, fullstop };
    const payloads = await cut("openai-chat", dataEvents(chunk), { stop: ["END"] });
    expect(JSON.stringify(payloads)).not.toContain("there");
    const gemini = { ...geminiChunk({}, { text: "Hi END there" }), fullstop };
    expect(JSON.stringify(await cut("gemini", dataEvents(gemini), { stop: ["END"] }))).not.toContain("there");
    const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi END there" } };
    const messages = await cut("anthropic-messages", named({ ...block, fullstop }), { stop: ["END"] });
    expect(JSON.stringify(messages)).not.toContain("there");
    const delta = { type: "response.output_text.delta", output_index: 0, delta: "Hi END there", fullstop };
    expect(JSON.stringify(await cut("openai-responses", named(delta), { stop: ["END"] }))).not.toContain("there");
  });

  it("of Responses closes its item with its annotations, and ends the response as it was created", async () => {
    const response = { id: "resp_1", object: "response", model: "m", status: "in_progress", output: [], mine: 1 };
    const place = { item_id: "msg_9", output_index: 0, content_index: 0 };
    const item = { id: "msg_9", type: "message", role: "assistant", status: "in_progress", content: [] };
    const annotation = { type: "url_citation", url: "https://example.org", start_index: 0, end_index: 2 };
    const frames = named(
      { type: "response.created", sequence_number: 0, response },
      { type: "response.output_item.added", sequence_number: 1, output_index: 0, item },
      {
        type: "response.content_part.added",
        sequence_number: 2,
        ...place,
        part: { type: "output_text", text: "", annotations: [], logprobs: [] },
      },
      { type: "response.output_text.delta", sequence_number: 3, ...place, delta: "Hi", logprobs: [] },
      { type: "response.output_text.annotation.added", sequence_number: 4, ...place, annotation_index: 0, annotation },
      {
        type: "response.output_text.delta",
        sequence_number: 5,
        ...place,
        delta: " END there",
        logprobs: [{ token: "END" }],
      },
    );
    const payloads = await cut("openai-responses", frames, { stop: ["END"] });
    expect(payloads.map(({ type }) => type)).toEqual([
      "response.created",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.annotation.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(payloads.map((payload) => payload["sequence_number"])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(payloads[5]).toEqual({ ...payloads[5], delta: " ", logprobs: [] });
    const part = { type: "output_text", text: "Hi ", annotations: [annotation], logprobs: [] };
    const output = [{ ...item, status: "completed", content: [part] }];
    expect(payloads[9]).toMatchObject({ response: { ...response, status: "completed", output } });
  });
});

it("passes on what was held back before it reports a broken connection", async () => {
  const frames = dataEvents(chatChunk({ content: "Hi ST" }));
  const failure = new TypeError("terminated");
  let turn = 0;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      turn++ === 0 ? controller.enqueue(toBytes(`${frames}data: {"ch`)) : controller.error(failure),
  });
  const signals: TerminationSignal[] = [];
  const fetch = createFetch({
    stop: ["STOP"],
    fetch: () => Promise.resolve(new Response(source)),
    onFinish: (signal) => void signals.push(signal),
  });
  const body = JSON.stringify({ model: "m", messages: [], stream: true });
  const response = await fetch(ADDRESSES["openai-chat"], { method: "POST", body });
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  expect(Buffer.from(value ?? []).toString()).toBe(`${frames}data: {"ch`);
  await expect(reader.read()).rejects.toBe(failure);
  expect(signals).toMatchObject([{ reason: "error_termination", detail: "network_error" }]);
});

it.each(["\n", "\r\n", "\r"])("reads event streams whose lines end in %j, whole or byte by byte", async (lineEnd) => {
  const frames = dataEvents(chatChunk({ content: "Hi ST" }), chatChunk({ content: "OP there" })).replaceAll(
    "\n",
    lineEnd,
  );
  const bytes = toBytes(`: hello${lineEnd}${lineEnd}${frames}`);
  for (const chunks of [[bytes], [...bytes].map((byte) => Uint8Array.of(byte))]) {
    const guarded = await guardBytes("openai-chat", chunks, { stop: ["STOP"] });
    const out = Buffer.from(guarded.bytes).toString();
    expect(out.startsWith(`: hello${lineEnd}${lineEnd}`)).toBe(true);
    expect(out).toContain('"content":"Hi "');
    expect(out).not.toContain("there");
    expect(guarded.signal?.reason).toBe("stop_sequence");
  }
});

it("passes on what was held back before what follows the provider's own end", async () => {
  const call = { functionCall: { name: "f", willContinue: true } };
  const events = [{ candidates: [{ content: { parts: [call] } }] }, { error: { code: 500, message: "Lost" } }];
  const body = `${dataEvents(...events)}: more\n\n: and a rest`;
  const { bytes } = await guardBytes("gemini", [toBytes(body)], { stop: ["STOP"] });
  expect(Buffer.from(bytes).toString()).toBe(body);
});

it.each([{}, { type: null }])("knows an event by its name where its data tells no type: %j", async (type) => {
  const event = (name: string, fields: object): string =>
    `event: response.${name}\ndata: ${JSON.stringify({ ...type, ...fields })}\n\n`;
  const output = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi STOP there" }] }];
  const whole = event("completed", { response: { status: "completed", output } });
  const payloads = await cut("openai-responses", whole, { stop: ["STOP"] });
  expect(read(payloads.at(-1), "response", "output", 0, "content", 0, "text")).toBe("Hi ");
});

describe("objects that stand between events, or amid them, and are read although no client does", () => {
  const pieces: Readonly<Record<keyof typeof ADDRESSES, (words: string) => object>> = {
    "openai-chat": (words) => chatChunk({ content: words }),
    "openai-responses": (words) => ({ type: "response.output_text.delta", output_index: 0, delta: words }),
    "anthropic-messages": (words) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: words },
    }),
    gemini: (words) => geminiChunk({}, { text: words }),
  };
  const dialects = Object.keys(pieces) as readonly (keyof typeof pieces)[];

  describe.each(dialects)("in %s", (dialect) => {
    const object = (words: string): string => `${JSON.stringify(pieces[dialect](words))}\n`;
    const event = (words: string): string => `data: ${object(words)}`;

    it.each([
      ["alone, with the end in it", [`: x\n${object("Hi END there")}\n`], "Hi "],
      ["alone, with its beginning in it", [`: x\n${object("Hi EN")}\n`, `${event("D there")}\n`], "Hi "],
      ["alone, behind its beginning", [`${event("Hi EN")}\n`, `x\n${object("D there")}\n`], "Hi "],
      ["in an event that ends later", [`${event("END there")}${object("Hi ")}\n`], ""],
      ["in an event that began earlier", [`x\n${object("of EN")}\n`, `${event("D there")}${object("of EN")}`], "of EN"],
      ["in an event, with all of the end", [`x\n${object("Hi ")}\n`, `${event("there")}${object("one END")}`], "Hi "],
    ])("show nothing of a match: %s", async (_, frames, shown) => {
      const body = toBytes(frames.join(""));
      for (const chunks of [[body], [...body].map((byte) => Uint8Array.of(byte))]) {
        const { bytes, signal } = await guardBytes(dialect, chunks, { stop: ["END"] });
        expect(signal).toMatchObject({ reason: "stop_sequence" });
        const seen = textIn(readEvents(dialect, bytes));
        expect(seen).not.toContain("END");
        expect(seen).not.toContain("there");
        expect(seen).toContain(shown);
      }
    });

    it("stay where no rule ends the answer", async () => {
      const body = `: x\n${object("Hi")}\n${event(" th")}${object("er")}\n`;
      const { bytes } = await guardBytes(dialect, [toBytes(body)], { stop: ["END"] });
      expect(Buffer.from(bytes).toString()).toBe(body);
    });
  });
});
