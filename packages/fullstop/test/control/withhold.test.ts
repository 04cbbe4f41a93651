import { expect, it } from "vitest";
import { lengthOf } from "../../src/control/size.ts";
import { withholdContent } from "../../src/control/withhold.ts";
import type { GenerationEvent } from "../../src/index.ts";

const SECRET = "what nobody is to keep";

const TELLING: readonly GenerationEvent[] = [
  { type: "text", text: SECRET },
  { type: "reasoning", text: SECRET },
  { type: "reasoning", text: "", signature: SECRET, signedBy: "openai-chat" },
  { type: "tool-call-delta", callId: "c1", json: SECRET },
  { type: "tool-call-end", callId: "c1", signature: SECRET, signedBy: "gemini" },
  { type: "citation", start: 0, end: 5, url: SECRET, title: SECRET, quote: SECRET, format: "test", value: SECRET },
  { type: "opaque", format: "test", value: SECRET },
];

it.each(TELLING)("nothing that was written is left of an event whose content is not kept (%j)", (event) => {
  expect(JSON.stringify(withholdContent(event))).not.toContain(SECRET);
});

it.each(TELLING)("what is written in an event counts as its size (%j)", (event) => {
  expect(lengthOf(event)).toBeGreaterThanOrEqual(SECRET.length);
});
