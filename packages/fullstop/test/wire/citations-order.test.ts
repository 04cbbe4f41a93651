import { describe, expect, it } from "vitest";
import { defineOverlapTrimmer } from "../../src/agent/overlap-trimmer.ts";
import { defineGuard } from "../../src/index.ts";
import type { CitationEvent, GenerationEvent } from "../../src/index.ts";
import { ANSWER_FORMATS, anthropicMessages, gemini } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import { pushThrough } from "../support/events.ts";
import { finish, text } from "../support/official.ts";
import { converseEvent, dataEvents, geminiChunk, joinBytes, namedEvents, toBytes } from "../support/wire-bodies.ts";

const PAGE = { uri: "https://a.example", title: "A" };

/** Grounding of one stretch of a text. */
function grounding(startIndex: number, endIndex: number, quoted: string): Readonly<Record<string, unknown>> {
  return {
    groundingChunks: [{ web: PAGE }],
    groundingSupports: [{ segment: { startIndex, endIndex, text: quoted }, groundingChunkIndices: [0] }],
  };
}

function read(format: keyof typeof ANSWER_FORMATS, body: string | Uint8Array): readonly GenerationEvent[] {
  return decodeChunks(ANSWER_FORMATS[format], [typeof body === "string" ? toBytes(body) : body]);
}

function places(events: readonly GenerationEvent[]): readonly unknown[] {
  const told = events.filter((event): event is CitationEvent => event.type === "citation" && event.url !== undefined);
  return told.map(({ start, end }) => [start, end]);
}

function candidateOf(events: readonly GenerationEvent[]): unknown {
  return (gemini.encodeResponse(events).body as { candidates: unknown[] }).candidates[0];
}

describe("Gemini's grounding", () => {
  const early = geminiChunk({ groundingMetadata: grounding(0, 6, "abc ST") }, { text: "abc ST" });

  it("says nothing of a stop string that was half there when it came", () => {
    const events = read("gemini", dataEvents(early, geminiChunk({ finishReason: "STOP" }, { text: "OP" })));
    const stopped = pushThrough(defineGuard({ stop: ["STOP"] }), events);
    expect(JSON.stringify(candidateOf(stopped))).not.toContain("abc ST");
  });

  it("is told once, with the place of text that comes after it", () => {
    const metadata = { groundingMetadata: grounding(4, 8, "More") };
    const chunks = [geminiChunk(metadata, { text: "abc " }), geminiChunk(metadata, { text: "More" })];
    expect(places(read("gemini", dataEvents(...chunks)))).toEqual([[4, 8]]);
  });

  it.each([{}, { webSearchQueries: ["sky"] }])("is not forgotten when %j follows", (later) => {
    const last = geminiChunk({ groundingMetadata: later, finishReason: "STOP" }, { text: "." });
    expect(candidateOf(read("gemini", dataEvents(early, last)))).toMatchObject({
      groundingMetadata: { ...grounding(0, 6, "abc ST"), ...later },
    });
  });

  it("is told of pages of which nobody says what is from them", () => {
    const metadata = { groundingChunks: [{ web: PAGE }] };
    const events = read("gemini", dataEvents(geminiChunk({ groundingMetadata: metadata }, { text: "abc" })));
    expect(places(events)).toEqual([[undefined, undefined]]);
  });

  it("counts from the beginning of an answer that was continued", () => {
    const chunk = geminiChunk({ groundingMetadata: grounding(0, 4, "Two."), finishReason: "STOP" }, { text: "Two." });
    const continued = pushThrough(defineOverlapTrimmer("One. "), read("gemini", dataEvents(chunk)));
    expect(candidateOf([text("One. "), ...continued])).toMatchObject({
      groundingMetadata: { groundingSupports: [{ segment: { startIndex: 5, endIndex: 9, text: "Two." } }] },
    });
  });
});

describe("a citation that comes before its text", () => {
  it("has its place after the texts before it (openai-responses)", () => {
    const annotation = { type: "url_citation", url: PAGE.uri, title: "A", start_index: 0, end_index: 4 };
    const place = { item_id: "b", output_index: 1, content_index: 0 };
    const events = read(
      "openai-responses",
      namedEvents(
        {
          type: "response.output_text.delta",
          item_id: "a",
          output_index: 0,
          content_index: 0,
          delta: "One. ",
        } as never,
        { type: "response.output_text.annotation.added", ...place, annotation } as never,
        { type: "response.output_text.delta", ...place, delta: "Two." } as never,
      ),
    );
    expect(places(events)).toEqual([[5, 9]]);
  });

  it("has the place of all of its block (bedrock-converse)", () => {
    const citation = { title: "A", location: { web: { url: PAGE.uri } } };
    const block = (index: number, ...deltas: readonly object[]): readonly Uint8Array[] => [
      ...deltas.map((delta) => converseEvent("contentBlockDelta", { contentBlockIndex: index, delta })),
      converseEvent("contentBlockStop", { contentBlockIndex: index }),
    ];
    const bytes = joinBytes(...block(0, { text: "One. " }), ...block(1, { citation }, { text: "Tw" }, { text: "o." }));
    expect(places(read("bedrock-converse", bytes))).toEqual([[5, 9]]);
  });
});

it("what Cohere cites in a plan has no place in the text", () => {
  const source = { type: "document", document: { url: PAGE.uri, title: "A" } };
  const cite = (type: string): object => ({ start: 0, end: 3, text: "abc", sources: [source], type });
  const events = ANSWER_FORMATS["cohere-chat"].decodeResponse({
    message: {
      tool_plan: "abc",
      content: [{ type: "text", text: "xyz" }],
      citations: ["PLAN", "TEXT_CONTENT"].map(cite),
    },
    finish_reason: "COMPLETE",
  });
  expect(places(events)).toEqual([[0, 3]]);
});

it("a citation that cannot be written ends no block", () => {
  const homeless: GenerationEvent = { type: "citation", start: 0, end: 4, title: "A file", format: "test" };
  const { body } = anthropicMessages.encodeResponse([
    text("One."),
    homeless,
    text(" Two."),
    finish("natural_completion"),
  ]);
  expect(body).toMatchObject({ content: [{ type: "text", text: "One. Two." }] });
});

describe("a place that is wrong", () => {
  const lost: GenerationEvent = { type: "citation", start: 7, end: 9, url: PAGE.uri, title: "A", format: "test" };

  it("past the end of a whole answer leaves the source without one", () => {
    expect(candidateOf([text("One."), lost, finish("natural_completion")])).toMatchObject({
      groundingMetadata: { groundingChunks: [{ web: PAGE }] },
    });
  });

  it("past the end of an answer that was cut is that of what was cut", () => {
    expect(candidateOf([text("One."), lost, finish("stop_sequence")])).not.toHaveProperty("groundingMetadata");
  });

  it("inside a character is that of its beginning", () => {
    const inside: GenerationEvent = { ...lost, start: 2, end: 4 };
    expect(candidateOf([text("a😀b"), inside, finish("natural_completion")])).toMatchObject({
      groundingMetadata: { groundingSupports: [{ segment: { startIndex: 1, endIndex: 6, text: "😀b" } }] },
    });
  });
});
