import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { expect, it } from "vitest";
import { defineOverlapTrimmer } from "../../src/agent/overlap-trimmer.ts";
import { defineReasoningSplitter, truncatedSignal } from "../../src/index.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { openaiChat } from "../../src/wire/index.ts";
import { pushThrough } from "../support/events.ts";
import { finish, text } from "../support/official.ts";
import { chatWhole } from "../support/wire-bodies.ts";

function page(start: number, end: number): GenerationEvent {
  return { type: "citation", start, end, url: `https://${start}.example`, title: "A page", format: "test" };
}

function chunksOf(events: readonly GenerationEvent[]): readonly string[] {
  const frames: string[] = [];
  const sink = openaiChat.encodeStream()({ push: (frame) => void frames.push(frame), end: () => undefined });
  for (const event of events) sink.push(event);
  sink.end();
  return frames.map((frame) => frame.slice("data: ".length).trim());
}

/** An answer of a provider that is asked again through the dialect, with its annotation moved by a stage. */
function annotate(content: string, start: number, end: number): readonly GenerationEvent[] {
  const annotation = {
    type: "url_citation",
    url_citation: { url: "u", title: "t", start_index: start, end_index: end },
  };
  return openaiChat.decodeResponse(chatWhole({ content, annotations: [annotation] }, { finish_reason: "stop" }));
}

it("OpenAI's client, which keeps the last piece of a list, has all citations of a stream", async () => {
  const chunks = chunksOf([text("One."), page(0, 4), text(" Two."), page(5, 9), finish("natural_completion")]);
  const lines = chunks.filter((chunk) => chunk.startsWith("{")).join("\n");
  const client = ChatCompletionStream.fromReadableStream(new Response(lines).body!);
  const { choices } = await client.finalChatCompletion();
  expect(choices[0]?.message.annotations?.map((annotation) => annotation.url_citation.url)).toEqual([
    "https://0.example",
    "https://5.example",
  ]);
});

it("the citations of an answer that breaks off come before its error", () => {
  const chunks = chunksOf([text("One."), page(0, 4), { type: "finish", signal: truncatedSignal() }]);
  expect(chunks.at(-2)).toContain("https://0.example");
  expect(chunks.at(-1)).toContain('"error"');
});

it.each([
  ["thinking is taken out", annotate("<think>hm</think>One.", 17, 21), defineReasoningSplitter(), [0, 4]],
  ["an earlier piece stands before it", annotate("Two.", 0, 4), defineOverlapTrimmer("One. "), [5, 9]],
])("an annotation of the dialect has the place of its text after %s", (_name, events, stage, [start, end]) => {
  const before: GenerationEvent[] = start === 0 ? [] : [text("One. ")];
  const { body } = openaiChat.encodeResponse([...before, ...pushThrough(stage, events)]);
  expect(body).toMatchObject({
    choices: [{ message: { annotations: [{ url_citation: { url: "u", start_index: start, end_index: end } }] } }],
  });
});
