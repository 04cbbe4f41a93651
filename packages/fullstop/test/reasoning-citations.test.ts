import { expect, it } from "vitest";
import { defineReasoningSplitter } from "../src/index.ts";
import type { GenerationEvent } from "../src/index.ts";
import { cutAt } from "./support/cuts.ts";
import { pushThrough, textOf } from "./support/events.ts";

const THOUGHTS = "<think>a</think>One. <think>b</think>Two.";

/** What is cited of the visible text, after a splitter. */
function cited(pieces: readonly string[], keepMarkers = false): readonly string[] {
  const citations = ["One.", "Two."].map((quote): GenerationEvent => {
    const start = THOUGHTS.indexOf(quote);
    return { type: "citation", start, end: start + quote.length, format: "test" };
  });
  const events = [...pieces.map((text): GenerationEvent => ({ type: "text", text })), ...citations];
  const out = pushThrough(defineReasoningSplitter({ keepMarkers }), events);
  const shown = textOf(out);
  return out.flatMap((event) => (event.type === "citation" ? [shown.slice(event.start, event.end)] : []));
}

it("a citation counts without the thinking, wherever the text is cut", () => {
  for (let position = 0; position < THOUGHTS.length; position++) {
    expect(cited(cutAt(THOUGHTS, [position, position + 3]))).toEqual(["One.", "Two."]);
  }
});

it("a citation counts without the markers where they are kept", () => {
  expect(cited([THOUGHTS], true)).toEqual(["One.", "Two."]);
});

it("a citation counts from the end of the thinking that the prompt has begun", () => {
  const events: GenerationEvent[] = [
    { type: "text", text: "a</think>One." },
    { type: "citation", start: 9, end: 13, format: "test" },
    { type: "citation", url: "https://a.example", format: "test" },
  ];
  expect(pushThrough(defineReasoningSplitter({ startsInReasoning: true }), events)).toMatchObject([
    { type: "reasoning" },
    { type: "text", text: "One." },
    { start: 0, end: 4 },
    { url: "https://a.example", start: undefined, end: undefined },
  ]);
});
