import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineGuard, truncatedSignal } from "../../src/index.ts";
import type { CitationEvent, FinishEvent, GenerationEvent } from "../../src/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import type { EncodeOptions } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import { same } from "../support/same.ts";
import { toBytes } from "../support/wire-bodies.ts";

type Dialect = keyof typeof WIRE_FORMATS;

const DIALECTS = Object.keys(WIRE_FORMATS) as readonly Dialect[];

const FINISH: FinishEvent = {
  type: "finish",
  signal: {
    shouldTerminate: true,
    reason: "natural_completion",
    confidence: "high",
    providerSpecific: { originalField: "finish_reason", originalValue: "stop" },
  },
};

const STOPPED: GenerationEvent = { ...FINISH, signal: { ...FINISH.signal, reason: "stop_sequence" } };

function text(piece: string): GenerationEvent {
  return { type: "text", text: piece };
}

/** A page that nobody's dialect has told of. */
function page(start: number, end: number, name = "a"): CitationEvent {
  return {
    type: "citation",
    start,
    end,
    url: `https://${name}.example`,
    title: name,
    format: "test",
  };
}

function writeStream(dialect: Dialect, events: readonly GenerationEvent[], options: EncodeOptions = {}): string {
  let written = "";
  const sink = WIRE_FORMATS[dialect].encodeStream(options)({
    push: (frame) => {
      written += frame;
    },
    end: () => undefined,
  });
  for (const event of events) sink.push(event);
  sink.end();
  return written;
}

function readStream(dialect: Dialect, written: string): readonly GenerationEvent[] {
  return decodeChunks(WIRE_FORMATS[dialect], [toBytes(written)]);
}

function readWhole(dialect: Dialect, events: readonly GenerationEvent[]): readonly GenerationEvent[] {
  const { body } = WIRE_FORMATS[dialect].encodeResponse(events);
  return WIRE_FORMATS[dialect].decodeResponse(body);
}

function citationsIn(events: readonly GenerationEvent[]): readonly CitationEvent[] {
  return events.filter((event) => event.type === "citation");
}

/** Who is quoted where. */
function quoted(events: readonly GenerationEvent[]): readonly string[] {
  return citationsIn(events)
    .flatMap(({ start, end, url }) => (url === undefined ? [] : [`${start} ${end} ${url}`]))
    .sort();
}

function textOf(events: readonly GenerationEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

const ANSWER: readonly GenerationEvent[] = [text("Skies "), text("are blue."), page(0, 15), text(" So."), FINISH];

const SAID: Readonly<Record<Dialect, unknown>> = {
  "openai-chat": {
    choices: [
      {
        message: {
          content: "Skies are blue. So.",
          annotations: [
            {
              type: "url_citation",
              url_citation: { url: "https://a.example", title: "a", start_index: 0, end_index: 15 },
            },
          ],
        },
      },
    ],
  },
  "openai-responses": {
    output: [
      {
        content: [
          {
            text: "Skies are blue. So.",
            annotations: [
              { type: "url_citation", url: "https://a.example", title: "a", start_index: 0, end_index: 15 },
            ],
          },
        ],
      },
    ],
  },
  "anthropic-messages": {
    content: [
      {
        type: "text",
        text: "Skies are blue.",
        citations: [
          {
            type: "web_search_result_location",
            url: "https://a.example",
            title: "a",
            cited_text: "",
            encrypted_index: "",
          },
        ],
      },
      { type: "text", text: " So." },
    ],
  },
  gemini: {
    candidates: [
      {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: "https://a.example", title: "a" } }],
          groundingSupports: [
            { segment: { startIndex: 0, endIndex: 15, text: "Skies are blue." }, groundingChunkIndices: [0] },
          ],
        },
      },
    ],
  },
};

describe.each(DIALECTS)("a citation in %s", (dialect) => {
  it("is written as the dialect has it", () => {
    expect(WIRE_FORMATS[dialect].encodeResponse(ANSWER).body).toMatchObject(SAID[dialect] as object);
  });

  it("is read back from a stream and from a whole answer", () => {
    for (const events of [readStream(dialect, writeStream(dialect, ANSWER)), readWhole(dialect, ANSWER)]) {
      expect(textOf(events)).toBe("Skies are blue. So.");
      expect(quoted(events)).toEqual(["0 15 https://a.example"]);
    }
  });

  it("waits for text that is still held back", () => {
    const early = [text("Skies "), page(0, 15), text("are blue."), text(" So."), FINISH];
    expect(quoted(readStream(dialect, writeStream(dialect, early)))).toEqual(["0 15 https://a.example"]);
  });

  it("ends where the text was cut, and is gone with all of its text", () => {
    const cut = [text("Skies are"), page(0, 15), page(12, 15, "b"), STOPPED];
    expect(quoted(readStream(dialect, writeStream(dialect, cut)))).toEqual(["0 9 https://a.example"]);
  });

  it("without an address is left out with a warning", () => {
    const fields: string[] = [];
    const document: CitationEvent = { type: "citation", start: 0, end: 5, title: "Notes", format: "test", value: {} };
    const written = writeStream(dialect, [text("Skies"), document, FINISH], {
      onWarning: ({ field }) => void fields.push(field),
    });
    expect(quoted(readStream(dialect, written))).toEqual([]);
    expect(fields).toEqual(["citations"]);
  });

  it("without text is left out with a warning", () => {
    const fields: string[] = [];
    const { start: _start, end: _end, ...unplaced } = page(0, 1);
    writeStream(dialect, [unplaced, FINISH], { onWarning: ({ field }) => void fields.push(field) });
    expect(fields).toEqual(["citations"]);
  });

  it("does not show in an answer that broke off before it", () => {
    const broken = [text("Skies"), page(0, 15), { type: "finish" as const, signal: truncatedSignal() }];
    expect(readStream(dialect, writeStream(dialect, broken)).at(-1)).toMatchObject({
      signal: { reason: "error_termination" },
    });
  });
});

const anyAnswer = fc
  .array(fc.record({ piece: fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), isQuoted: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((pieces) => {
    let length = 0;
    const events: GenerationEvent[] = [];
    for (const [index, { piece, isQuoted }] of pieces.entries()) {
      const start = length;
      length += piece.length;
      events.push(text(piece));
      if (isQuoted) events.push(page(start, length, `p${index}`));
    }
    return [...events, FINISH];
  });

describe.each(DIALECTS)("any answer with citations in %s", (dialect) => {
  it("has the same ones in a stream and as a whole", () => {
    fc.assert(
      fc.property(anyAnswer, (events) => {
        const fromStream = readStream(dialect, writeStream(dialect, events));
        const fromWhole = readWhole(dialect, events);
        same(textOf(fromStream), textOf(events));
        same(quoted(fromStream), quoted(fromWhole));
      }),
      { numRuns: 500 },
    );
  });

  it("comes to every other dialect with the places it had", () => {
    fc.assert(
      fc.property(anyAnswer, fc.constantFrom(...DIALECTS), (events, other) => {
        const first = readStream(dialect, writeStream(dialect, events));
        const second = readStream(other, writeStream(other, first));
        if (dialect !== "anthropic-messages" && other !== "anthropic-messages") same(quoted(second), quoted(events));
        // A block of text is quoted as a whole.
        for (const { url, start = 0, end = 0 } of citationsIn(events)) {
          const found = citationsIn(second).find((citation) => citation.url === url);
          same([found!.start! <= start, found!.end! >= end], [true, true]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a citation that stays in its dialect", () => {
  const own: readonly (readonly [Dialect, unknown])[] = [
    ["anthropic-messages", { type: "page_location", cited_text: "x", document_index: 1, document_title: "T", more: 1 }],
    ["openai-chat", { type: "url_citation", url_citation: { url: "https://a.example", content: "…", more: 1 } }],
    ["openai-responses", { type: "file_citation", file_id: "f", filename: "a.pdf", index: 3 }],
    ["gemini", { groundingMetadata: { searchEntryPoint: { renderedContent: "<b>" }, webSearchQueries: ["q"] } }],
  ];

  it.each(own)("is the same as it was (%s)", (dialect, value) => {
    const events: readonly GenerationEvent[] = [text("Skies"), { type: "citation", format: dialect, value }, FINISH];
    const written = JSON.stringify(WIRE_FORMATS[dialect].encodeResponse(events).body);
    expect(written).toContain(JSON.stringify(value).slice(1, -1));
    expect(writeStream(dialect, events)).toContain(JSON.stringify(value).slice(1, -1));
  });

  it("counts from the beginning of its own text where several have become one", () => {
    const annotation = { type: "url_citation", url: "https://a.example", title: "a", start_index: 0, end_index: 4 };
    const events: readonly GenerationEvent[] = [
      text("So: "),
      text("blue"),
      { type: "citation", start: 4, end: 8, url: annotation.url, format: "openai-responses", value: annotation },
      FINISH,
    ];
    expect(WIRE_FORMATS["openai-responses"].encodeResponse(events).body).toMatchObject({
      output: [{ content: [{ annotations: [{ start_index: 4, end_index: 8 }] }] }],
    });
  });

  it("is not sent back to a provider that did not write it", () => {
    const blocks = (WIRE_FORMATS["anthropic-messages"].encodeResponse(ANSWER).body as { content: object[] }).content;
    const kept = { type: "char_location", cited_text: "x", document_index: 0 };
    const message = {
      role: "assistant",
      content: [...blocks, { type: "text", text: "And", citations: [kept] }],
    };
    const { request } = WIRE_FORMATS["anthropic-messages"].decodeRequest({
      model: "m",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hi" }, message],
    });
    const { body } = WIRE_FORMATS["anthropic-messages"].encodeRequest(request);
    expect(body).toMatchObject({
      messages: [{}, { content: [{ text: "Skies are blue." }, { text: " So." }, { text: "And", citations: [kept] }] }],
    });
    expect(JSON.stringify(body)).not.toContain("encrypted_index");
  });
});

describe("stop rules and citations", () => {
  function guarded(stop: string, events: readonly GenerationEvent[]): readonly GenerationEvent[] {
    const out: GenerationEvent[] = [];
    const sink = defineGuard({ stop: [stop] })({ push: (event) => void out.push(event), end: () => undefined });
    for (const event of events) sink.push(event);
    sink.end();
    return out;
  }

  it("find a stop string that has a citation in its middle", () => {
    const events = guarded("END", [text("Skies E"), page(0, 7), text("ND and"), FINISH]);
    expect(textOf(events)).toBe("Skies ");
    expect(events.at(-1)).toMatchObject({ signal: { reason: "stop_sequence", stopSequence: "END" } });
    expect(quoted(readStream("openai-chat", writeStream("openai-chat", events)))).toEqual(["0 6 https://a.example"]);
  });

  it("let no citation pass after the end", () => {
    const events = guarded("END", [text("Skies END"), page(0, 5), FINISH]);
    expect(events.map(({ type }) => type)).toEqual(["text", "finish"]);
  });
});
