import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BrokenAnswerError, createFetch } from "../../src/adapters/fetch/index.ts";
import { createTextGuard, defineGuard } from "../../src/index.ts";
import type { GenerationEvent, StopRuleOptions } from "../../src/index.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { ADDRESSES, guardBytes, readEvents, signalIn, textIn } from "../support/fetch-bytes.ts";
import { call, finish, reasoning, signature, start, text, usage } from "../support/official.ts";
import { DIALECTS, bodyOf } from "../support/provider-server.ts";
import type { Dialect } from "../support/provider-server.ts";
import { readRecorded } from "../support/recorded.ts";
import { chatChunk, dataEvents, messagesStream, toBytes } from "../support/wire-bodies.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";

const cuts = fc.array(fc.nat(), { maxLength: 12 });
const counts = usage({ inputTokens: 3, outputTokens: 9 });

function encode(dialect: Dialect, events: readonly GenerationEvent[], isStream = true): Uint8Array {
  return toBytes(bodyOf(WIRE_FORMATS[dialect], events, isStream));
}

/** What the guard makes of the events themselves. */
function guardEvents(events: readonly GenerationEvent[], rules: StopRuleOptions): readonly GenerationEvent[] {
  const guarded: GenerationEvent[] = [];
  const sink = defineGuard(rules)({ push: (event) => void guarded.push(event), end: () => undefined });
  for (const event of events) sink.push(event);
  return guarded;
}

/** The dialects under which a recorded answer can be guarded. */
const GUARDED: Readonly<Record<string, Dialect>> = {
  "openai-chat": "openai-chat",
  "mistral-chat": "openai-chat",
  "openai-responses": "openai-responses",
  "anthropic-messages": "anthropic-messages",
  gemini: "gemini",
};

const made = DIALECTS.flatMap((dialect) =>
  [true, false].map((isStream) => {
    const events = [
      start,
      reasoning("Hm, let me "),
      reasoning("see."),
      signature("proof", dialect),
      text("The answer is 4 <"),
      text("b>2</b> wörld 🌍"),
      ...call("c1", "weather", '{"city":"Oslo"}'),
      counts,
      finish("tool_calls"),
    ];
    const bytes = encode(dialect, events, isStream);
    return { name: `${dialect}, ${isStream ? "stream" : "whole"}`, dialect, bytes, status: 200 };
  }),
);

const recorded = readRecorded().flatMap(({ name, format, bytes, status }) => {
  const dialect = GUARDED[format];
  return dialect === undefined ? [] : [{ name, dialect, bytes, status }];
});

describe("an answer that no rule ends", () => {
  it("is passed on as it comes, also behind a call that only fills its place", async () => {
    const filling = { tool_calls: [{ index: 0, function: { name: "", arguments: "{}" } }] };
    const [first, second] = [chatChunk(filling), chatChunk({ content: "Hello" })].map((chunk) =>
      toBytes(dataEvents(chunk)),
    );
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(first!);
        controller.enqueue(second!);
      },
    });
    const fetch = createFetch({ stop: ["STOP"], fetch: () => Promise.resolve(new Response(source)) });
    const body = JSON.stringify({ model: "m", messages: [], stream: true });
    const reader = (await fetch(ADDRESSES["openai-chat"], { method: "POST", body })).body!.getReader();
    let shown = "";
    while (!shown.includes("Hello")) shown += Buffer.from((await reader.read()).value!).toString();
    await reader.cancel();
    expect(shown).toContain("tool_calls");
  });

  it.each([...made, ...recorded])("is the same to the byte: $name", async ({ dialect, bytes, status }) => {
    const events = readEvents(dialect, bytes, status);
    const all = textIn(events);
    const isCut = signalIn(events).detail === "truncated";
    await fc.assert(
      fc.asyncProperty(cuts, fc.nat(), fc.integer({ min: 1, max: 20 }), async (positions, at, length) => {
        // Begins like something in the text, so that it is held back there, and never matches.
        const begin = all.slice(at % (all.length + 1)).slice(0, length);
        const stop = [`${begin.toWellFormed()}\u0001`, `${all.slice(0, 40).toWellFormed()}\u0001`];
        const guarded = await guardBytes(dialect, cutBytesAt(bytes, positions), { stop }, status);
        expect(Buffer.compare(guarded.bytes, bytes)).toBe(0);
        expect(guarded.error instanceof BrokenAnswerError).toBe(isCut);
        expect(guarded.signal).toMatchObject({ reason: signalIn(events).reason });
        expect(guarded.isClosed).toBe(false);
      }),
      { numRuns: 15 },
    );
  });
});

describe("a real answer", () => {
  const spoken = [...made, ...recorded].filter(
    ({ dialect, bytes, status }) => textIn(readEvents(dialect, bytes, status)).length > 8,
  );

  it.each(spoken)("is cut anywhere, and reads as one that ended there: $name", async ({ dialect, bytes, status }) => {
    const plain = readEvents(dialect, bytes, status);
    const all = textIn(plain);
    // What the provider has found, which stays and may say the same.
    const found = JSON.stringify(plain.filter(({ type }) => type === "opaque"));
    await fc.assert(
      fc.asyncProperty(cuts, fc.nat(), fc.integer({ min: 1, max: 9 }), async (positions, at, length) => {
        const from = at % (all.length - 1);
        const stop = all.slice(from, from + length).toWellFormed();
        const expected = guardEvents(plain, { stop });
        const shown = textIn(expected);
        fc.pre(signalIn(expected).stopSequence === stop && shown.isWellFormed());
        const guarded = await guardBytes(dialect, cutBytesAt(bytes, positions), { stop }, status);
        const events = readEvents(dialect, guarded.bytes, status);
        expect(textIn(events)).toBe(shown);
        expect(signalIn(events)).toMatchObject({ reason: "stop_sequence", stopSequence: stop });
        expect(guarded.error).toBeUndefined();
        // What follows and was said only there is gone. A few letters may be part of a word in the signal that was added.
        const rest = JSON.stringify(all.slice(shown.length + stop.length).slice(0, 24)).slice(1, -1);
        const isSaidOnce = rest.length > 12 && Buffer.from(bytes).toString().split(rest).length === 2;
        if (isSaidOnce && !found.includes(rest)) expect(Buffer.from(guarded.bytes).toString()).not.toContain(rest);
      }),
      { numRuns: 15 },
    );
  });
});

describe.each(DIALECTS)("an answer in %s", (dialect) => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "S", "T", "O", "ö", "🌍"), maxLength: 6 }), {
    minLength: 1,
    maxLength: 12,
  });

  it("shows at a stop what the guard of plain text shows, and nothing after it", async () => {
    await fc.assert(
      fc.asyncProperty(pieces, pieces, cuts, fc.boolean(), async (before, after, positions, isStream) => {
        const parts = [...before, "ST", "OP#", ...after, "SECRET"].filter((part) => part !== "");
        const all = parts.join("");
        const plain = createTextGuard({ stop: ["STOP#"] });
        const shown = plain.push(all) + plain.end();
        const bytes = encode(dialect, [start, ...parts.map(text), counts, finish("natural_completion")], isStream);
        const guarded = await guardBytes(dialect, cutBytesAt(bytes, positions), { stop: ["STOP#"] });
        const events = readEvents(dialect, guarded.bytes);
        expect(textIn(events)).toBe(shown);
        expect(signalIn(events)).toMatchObject({ reason: "stop_sequence", stopSequence: "STOP#" });
        expect(Buffer.from(guarded.bytes).toString()).not.toContain("SECRET");
        expect(guarded.error).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  it("keeps thinking, calls and proofs that came before the cut", async () => {
    for (const isStream of [true, false]) {
      const events = [
        start,
        reasoning("Hm STOP#"),
        signature("proof", dialect),
        ...call("c1", "weather", '{"city":"Oslo"}'),
        text("Good. STOP# SECRET"),
        ...call("c2", "SECRET", "{}"),
        counts,
        finish("tool_calls"),
      ];
      const guarded = await guardBytes(dialect, [encode(dialect, events, isStream)], { stop: ["STOP#"] });
      const read = readEvents(dialect, guarded.bytes);
      expect(textIn(read)).toBe("Good. ");
      expect(textIn(read, "reasoning")).toBe("Hm STOP#");
      // Chat has its calls behind all text, wherever they came.
      const isAfter = dialect === "openai-chat" && !isStream;
      expect(read.filter(({ type }) => type === "tool-call-end").length).toBe(isAfter ? 0 : 1);
      expect(Buffer.from(guarded.bytes).toString()).not.toContain("SECRET");
    }
  });

  it("cuts thinking and arguments where rules watch them", async () => {
    for (const isStream of [true, false]) {
      const thinking = [
        start,
        reasoning("Hm, en"),
        reasoning("ough. SECRET"),
        text("SECRET"),
        finish("natural_completion"),
      ];
      const stop = [{ text: "enough", scope: "all" as const }];
      const guarded = await guardBytes(dialect, [encode(dialect, thinking, isStream)], { stop });
      const read = readEvents(dialect, guarded.bytes);
      expect([textIn(read, "reasoning"), textIn(read)]).toEqual(["Hm, ", ""]);
      expect(Buffer.from(guarded.bytes).toString()).not.toContain("SECRET");

      const calling = [start, text("Look"), ...call("c1", "f", '{"a":"enough SECRET"}'), finish("tool_calls")];
      const cut = await guardBytes(dialect, [encode(dialect, calling, isStream)], { stop });
      const calls = readEvents(dialect, cut.bytes);
      expect(textIn(calls)).toBe("Look");
      expect(calls.filter(({ type }) => type === "tool-call-end")).toEqual([]);
      expect(Buffer.from(cut.bytes).toString()).not.toContain("SECRET");
      expect(signalIn(calls).reason).toBe("stop_sequence");
    }
  });

  it("is broken, and not whole, wherever the connection ends before the provider's last word", async () => {
    const bytes = encode(dialect, [start, text("Hello, "), text("world"), counts, finish("natural_completion")]);
    for (let length = 0; length <= bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      const signal = signalIn(readEvents(dialect, cut));
      const guarded = await guardBytes(dialect, [cut], { stop: ["</answer>"] });
      expect(Buffer.compare(guarded.bytes, cut)).toBe(0);
      const isWhole = signal.reason === "natural_completion";
      expect([length, guarded.error instanceof BrokenAnswerError]).toEqual([length, !isWhole]);
      expect(guarded.signal?.detail).toBe(signal.detail);
    }
  });

  it("ends before it has begun where nothing may be said", async () => {
    const bytes = encode(dialect, [start, text("Hello"), counts, finish("natural_completion")]);
    const guarded = await guardBytes(dialect, [bytes], { maxTokens: 0 });
    const events = readEvents(dialect, guarded.bytes);
    expect(textIn(events)).toBe("");
    expect(signalIn(events).reason).toBe("token_limit_reached");
  });

  it("fails with the error that a rule of the caller's own has made of it", async () => {
    const { signal } = finish("error_termination", { message: "Enough of this" });
    const rule = { name: "mine", start: () => () => signal };
    for (const isStream of [true, false]) {
      const bytes = encode(dialect, [start, text("Hello"), counts, finish("natural_completion")], isStream);
      const guarded = await guardBytes(dialect, [bytes], { rules: [rule] });
      expect(guarded.error).toMatchObject({ message: "Enough of this", signal: { reason: "error_termination" } });
    }
  });
});

describe("parts that only their provider understands", () => {
  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } };
  const opaque: Readonly<Record<Dialect, Readonly<Record<string, unknown>> | undefined>> = {
    "openai-chat": undefined,
    "openai-responses": search,
    "anthropic-messages": { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } },
    gemini: { executableCode: { language: "PYTHON", code: "1+1" } },
  };

  it.each(DIALECTS.filter((dialect) => opaque[dialect] !== undefined))(
    "stay before the cut and go behind it: %s",
    async (dialect) => {
      const part = { type: "opaque" as const, format: dialect, value: opaque[dialect] };
      for (const shown of ["", "Good "]) {
        for (const isStream of [true, false]) {
          const events = [start, part, text(`${shown}STOP#`), part, finish("natural_completion")];
          const guarded = await guardBytes(dialect, [encode(dialect, events, isStream)], { stop: ["STOP#"] });
          const read = readEvents(dialect, guarded.bytes);
          expect(textIn(read)).toBe(shown);
          expect(read.filter(({ type }) => type === "opaque")).toEqual([part]);
        }
      }
    },
  );

  it("keep what comes for them in pieces, up to the cut: the summary of a compaction", async () => {
    const value = { type: "compaction", content: "All so far", encrypted_content: "abc" };
    const body = messagesStream(
      { stop_reason: "compaction" },
      { type: "content_block_start", index: 1, content_block: { ...value, content: null } } as { type: string },
      { type: "content_block_delta", index: 1, delta: { ...value, type: "compaction_delta" } } as { type: string },
      { type: "content_block_stop", index: 1 } as { type: string },
      { type: "content_block_start", index: 2, content_block: { type: "text", text: "Good STOP#" } } as {
        type: string;
      },
    );
    for (const rules of [{ stop: ["STOP#"] }, { stop: ["never"] }]) {
      const { bytes } = await guardBytes("anthropic-messages", [toBytes(body)], rules);
      expect(readEvents("anthropic-messages", bytes)).toContainEqual({
        type: "opaque",
        format: "anthropic-messages",
        value,
      });
    }
  });
});
