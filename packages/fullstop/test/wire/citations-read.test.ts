import { describe, expect, it } from "vitest";
import type { CitationEvent, GenerationEvent } from "../../src/index.ts";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import {
  chatChunk,
  chatStream,
  chatWhole,
  converseEvent,
  dataEvents,
  geminiChunk,
  joinBytes,
  messagesWhole,
  namedEvents,
  responsesWhole,
  toBytes,
} from "../support/wire-bodies.ts";

type Told = Omit<CitationEvent, "type" | "format" | "value"> & { readonly value?: unknown };

const PAGE = "https://example.org/sky";

/** Events of a stream whose other fields a type of their own would only repeat. */
function streamOf(...events: readonly Readonly<Record<string, unknown>>[]): Uint8Array {
  return toBytes(namedEvents(...(events as readonly { readonly type: string }[])));
}

const located = {
  type: "web_search_result_location",
  url: PAGE,
  title: "The sky",
  cited_text: "Skies are blue.",
  encrypted_index: "e1",
};
const annotation = { type: "url_citation", url: PAGE, title: "The sky", start_index: 5, end_index: 9 };
const chatAnnotation = {
  type: "url_citation",
  url_citation: { url: PAGE, title: "The sky", start_index: 0, end_index: 5 },
};
const grounding = {
  webSearchQueries: ["sky"],
  groundingChunks: [{ web: { uri: PAGE, title: "The sky" } }, { retrievedContext: { uri: "gs://a", title: "Notes" } }],
  groundingSupports: [
    // Counted in bytes: there are two characters of two bytes each before the first.
    { segment: { startIndex: 5, endIndex: 9, text: "blue" }, groundingChunkIndices: [0, 1] },
    { segment: { endIndex: 4 }, groundingChunkIndices: [0] },
  ],
};

const cases: readonly (readonly [string, WireFormatName, Uint8Array | object, readonly Told[]])[] = [
  [
    "a citation before its text, for all of its block",
    "anthropic-messages",
    streamOf(
      { type: "message_start", message: { id: "m", model: "m", content: [] } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "So: " } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "", citations: [] } },
      { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: located } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "it is " } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "blue" } },
      { type: "content_block_stop", index: 1 },
      { type: "message_stop" },
    ),
    [{ start: 4, end: 14, url: PAGE, title: "The sky", quote: "Skies are blue.", value: located }],
  ],
  [
    "a citation of a block that was cut",
    "anthropic-messages",
    streamOf(
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation: located } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "it i" } },
    ),
    [{ start: 0, end: 4, url: PAGE, title: "The sky", quote: "Skies are blue.", value: located }],
  ],
  [
    "citations of a document, in a whole answer",
    "anthropic-messages",
    messagesWhole({
      content: [
        { type: "text", text: "So: " },
        {
          type: "text",
          text: "blue",
          citations: [{ type: "char_location", document_title: "Notes", cited_text: "b", document_index: 0 }],
        },
      ],
      stop_reason: "end_turn",
    }),
    [
      {
        start: 4,
        end: 8,
        title: "Notes",
        quote: "b",
        value: { type: "char_location", document_title: "Notes", cited_text: "b", document_index: 0 },
      },
    ],
  ],
  [
    "annotations that come twice",
    "openai-chat",
    toBytes(
      chatStream(
        chatChunk({ annotations: [chatAnnotation] }),
        chatChunk({ annotations: [chatAnnotation] }, { finish_reason: "stop" }),
      ),
    ),
    [{ start: 0, end: 5, url: PAGE, title: "The sky", value: chatAnnotation }],
  ],
  [
    "annotations of a whole answer",
    "openai-chat",
    chatWhole({ annotations: [chatAnnotation] }, { finish_reason: "stop" }),
    [{ start: 0, end: 5, url: PAGE, title: "The sky", value: chatAnnotation }],
  ],
  [
    "pages beside every piece",
    "openai-chat",
    toBytes(
      chatStream(
        chatChunk({ content: " it" }, {}, { citations: [PAGE], search_results: [{ url: PAGE, title: "The sky" }] }),
        chatChunk({}, { finish_reason: "stop" }, { citations: [PAGE, "https://example.org/2"] }),
      ),
    ),
    [
      { url: PAGE, title: "The sky", value: PAGE },
      { url: "https://example.org/2", value: "https://example.org/2" },
    ],
  ],
  [
    "pages that were found, without a list of their addresses",
    "openai-chat",
    toBytes(chatStream(chatChunk({ content: "x" }, {}, { search_results: [{ url: PAGE, title: "The sky" }] }))),
    [{ url: PAGE, title: "The sky", value: PAGE }],
  ],
  [
    "annotations that are added, and told again with the part, the item and the whole",
    "openai-responses",
    streamOf(
      { type: "response.created", response: { id: "r", model: "m", status: "in_progress" } },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "So: " },
      { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "skies are blue" },
      { type: "response.output_text.annotation.added", output_index: 1, content_index: 0, annotation },
      {
        type: "response.content_part.done",
        output_index: 1,
        content_index: 0,
        part: { type: "output_text", text: "skies are blue", annotations: [annotation] },
      },
      {
        type: "response.completed",
        response: {
          id: "r",
          status: "completed",
          output: [
            { type: "message", content: [{ type: "output_text", text: "So: ", annotations: [] }] },
            { type: "message", content: [{ type: "output_text", text: "skies are blue", annotations: [annotation] }] },
          ],
        },
      },
    ),
    [{ start: 9, end: 13, url: PAGE, title: "The sky", value: annotation }],
  ],
  [
    "a file in a whole answer",
    "openai-responses",
    responsesWhole(
      { status: "completed" },
      {
        type: "message",
        content: [
          {
            type: "output_text",
            text: "blue",
            annotations: [{ type: "file_citation", file_id: "f", filename: "a.pdf", index: 2 }],
          },
        ],
      },
    ),
    [{ title: "a.pdf", value: { type: "file_citation", file_id: "f", filename: "a.pdf", index: 2 } }],
  ],
  [
    "places in bytes, and the whole as it is",
    "gemini",
    geminiChunk({ finishReason: "STOP", groundingMetadata: grounding }, { text: "Äö blue" }),
    [
      { start: 0, end: 7, value: { groundingMetadata: grounding } },
      { start: 3, end: 7, url: PAGE, title: "The sky" },
      { start: 3, end: 7, url: "gs://a", title: "Notes" },
      { start: 0, end: 2, url: PAGE, title: "The sky" },
    ],
  ],
  [
    "works that are repeated word for word",
    "gemini",
    geminiChunk(
      { finishReason: "STOP", citationMetadata: { citations: [{ endIndex: 3, uri: PAGE }] } },
      { text: "It is blue" },
    ),
    [
      { start: 0, end: 10, value: { citationMetadata: { citations: [{ endIndex: 3, uri: PAGE }] } } },
      { start: 0, end: 3, url: PAGE },
    ],
  ],
  [
    "each of the sources of a stretch",
    "cohere-chat",
    {
      id: "c",
      message: {
        content: [{ type: "text", text: "It is blue" }],
        citations: [
          { start: 6, end: 10, text: "blue", sources: [{ type: "document", document: { title: "Sky", url: PAGE } }] },
        ],
      },
      finish_reason: "COMPLETE",
    },
    [
      {
        start: 6,
        end: 10,
        url: PAGE,
        title: "Sky",
        value: { type: "document", document: { title: "Sky", url: PAGE } },
      },
    ],
  ],
  [
    "a block of quoted text",
    "bedrock-converse",
    {
      output: {
        message: {
          role: "assistant",
          content: [
            { text: "So: " },
            {
              citationsContent: {
                content: [{ text: "blue" }],
                citations: [{ title: "Sky", sourceContent: [{ text: "Skies" }], location: { web: { url: PAGE } } }],
              },
            },
          ],
        },
      },
      stopReason: "end_turn",
    },
    [
      {
        start: 4,
        end: 8,
        url: PAGE,
        title: "Sky",
        quote: "Skies",
        value: { title: "Sky", sourceContent: [{ text: "Skies" }], location: { web: { url: PAGE } } },
      },
    ],
  ],
  [
    "a citation in pieces",
    "bedrock-converse",
    joinBytes(
      converseEvent("messageStart", { role: "assistant" }),
      converseEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "So: " } }),
      converseEvent("contentBlockStop", { contentBlockIndex: 0 }),
      converseEvent("contentBlockDelta", { contentBlockIndex: 1, delta: { text: "blue" } }),
      converseEvent("contentBlockDelta", { contentBlockIndex: 1, delta: { citation: { title: "Sky" } } }),
      converseEvent("contentBlockStop", { contentBlockIndex: 1 }),
      converseEvent("messageStop", { stopReason: "end_turn" }),
    ),
    [{ start: 4, end: 8, title: "Sky", value: { title: "Sky" } }],
  ],
];

function citationsIn(events: readonly GenerationEvent[]): readonly CitationEvent[] {
  return events.filter((event) => event.type === "citation");
}

describe("a citation is read", () => {
  it.each(cases)("%s (%s)", (_, format, answer, expected) => {
    const events =
      answer instanceof Uint8Array
        ? decodeChunks(ANSWER_FORMATS[format], [answer])
        : ANSWER_FORMATS[format].decodeResponse(answer);
    expect(citationsIn(events)).toEqual(expected.map((told) => ({ type: "citation", format, ...told })));
  });

  it.each(cases)("and %s does not depend on the cuts (%s)", (_, format, answer) => {
    const bytes = answer instanceof Uint8Array ? answer : toBytes(JSON.stringify(answer));
    const whole = decodeChunks(ANSWER_FORMATS[format], [bytes]);
    const single = decodeChunks(
      ANSWER_FORMATS[format],
      Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1)),
    );
    expect(single).toEqual(whole);
  });

  it("takes no finish back that came before it", () => {
    const finish = chatChunk({}, { finish_reason: "stop" });
    const read = (...chunks: readonly unknown[]): GenerationEvent | undefined =>
      decodeChunks(ANSWER_FORMATS["openai-chat"], [toBytes(dataEvents(...chunks))]).at(-1);
    expect(read(finish, chatChunk({ annotations: [chatAnnotation] }))).toEqual(read(finish));
    expect(read(finish, chatChunk({ content: "more" }))).not.toEqual(read(finish));
  });

  it("and costs come before the end of an answer that fails in a choice", () => {
    const failed = chatWhole({}, { error: { message: "no" } }, { citations: [PAGE], usage: { prompt_tokens: 1 } });
    const types = ANSWER_FORMATS["openai-chat"].decodeResponse(failed).map(({ type }) => type);
    expect(types).toEqual(["start", "text", "citation", "usage", "finish"]);
  });

  it("ends the answer when a block has more of them than anybody would send", () => {
    const events = decodeChunks(ANSWER_FORMATS["anthropic-messages"], [
      streamOf(
        ...Array.from({ length: 1001 }, () => ({
          type: "content_block_delta",
          index: 0,
          delta: { type: "citations_delta", citation: located },
        })),
      ),
    ]);
    expect(events.at(-1)).toMatchObject({ type: "finish", signal: { reason: "error_termination" } });
  });
});
