import { describe, expect, it } from "vitest";
import type { GenerationEvent, TerminationSignal } from "../../src/index.ts";
import { anthropicMessages } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import { payloadsOf, read, writeStream } from "../support/official.ts";
import { messagesStream, messagesWhole, namedEvents, toBytes } from "../support/wire-bodies.ts";

type Fields = Readonly<Record<string, unknown>>;

const FORMS = ["stream", "whole"] as const;

/** Reads an answer that says this at its end. */
function readAnswer(form: (typeof FORMS)[number], ending: Fields): readonly GenerationEvent[] {
  return form === "stream"
    ? decodeChunks(anthropicMessages, [toBytes(messagesStream(ending))])
    : anthropicMessages.decodeResponse(messagesWhole(ending));
}

/** What a message says at its end once it is written. */
function writeAnswer(form: (typeof FORMS)[number], events: readonly GenerationEvent[]): Fields {
  if (form === "whole") return anthropicMessages.encodeResponse(events).body;
  const payloads = payloadsOf(writeStream("anthropic-messages", events).frames);
  return { ...(payloads.at(-2) as Fields), ...(read(payloads.at(-2), "delta") as Fields) };
}

/** Reads what was written, in which the signal stands as well. */
function passOn(form: (typeof FORMS)[number], events: readonly GenerationEvent[]): readonly GenerationEvent[] {
  return form === "stream"
    ? decodeChunks(anthropicMessages, [toBytes(writeStream("anthropic-messages", events).frames.join(""))])
    : anthropicMessages.decodeResponse(anthropicMessages.encodeResponse(events).body);
}

function metadataIn(events: readonly GenerationEvent[]): TerminationSignal["providerSpecific"]["metadata"] {
  const last = events.at(-1);
  return last?.type === "finish" ? last.signal.providerSpecific.metadata : undefined;
}

describe.each(FORMS)("the ending of an answer in Messages, as a %s", (form) => {
  const refused = { stop_reason: "refusal", stop_sequence: null };

  it("tells of which kind a refusal was, and is written with that", () => {
    const details = { type: "refusal", category: "cyber", explanation: "You asked for a worm" };
    const events = readAnswer(form, { ...refused, stop_details: details });
    expect(metadataIn(events)).toEqual({ category: "cyber" });
    const written = writeAnswer(form, events);
    expect(written).toMatchObject({ ...refused, stop_details: { ...details, explanation: null } });
    expect(metadataIn(passOn(form, events))).toEqual({ category: "cyber" });
  });

  it.each([null, undefined, 7, "two words", "sk-ant-0123456789abcdef", "x".repeat(200)])(
    "keeps nothing of a refusal whose kind is no word: %j",
    (category) => {
      const events = readAnswer(form, { ...refused, stop_details: { type: "refusal", category } });
      expect(metadataIn(events)).toBeUndefined();
      expect(writeAnswer(form, events)).toMatchObject({ ...refused, stop_details: null });
    },
  );

  const container = {
    id: "container_011CPR5CNjB7",
    expires_at: "2026-11-16T20:00:00.5Z",
    skills: [{ skill_id: "pptx", type: "anthropic", version: "20261013" }],
  };

  it.each([container, { ...container, skills: null }])("names the container to go on in: %j", (given) => {
    const events = readAnswer(form, { stop_reason: "tool_use", container: given });
    expect(metadataIn(events)).toEqual({ container: given });
    expect(writeAnswer(form, events)).toMatchObject({ stop_reason: "tool_use", container: given });
    expect(metadataIn(passOn(form, events))).toEqual({ container: given });
  });

  it.each([null, "container_1", {}, { id: "two words" }])(
    "keeps nothing of a container without a name: %j",
    (given) => {
      const events = readAnswer(form, { stop_reason: "end_turn", container: given });
      expect(metadataIn(events)).toBeUndefined();
      expect(writeAnswer(form, events)).not.toHaveProperty("container");
    },
  );

  it("has nothing to tell of any other ending", () => {
    const events = readAnswer(form, { stop_reason: "end_turn", stop_details: null });
    expect(metadataIn(events)).toBeUndefined();
    expect(writeAnswer(form, events)).toMatchObject({ stop_reason: "end_turn", stop_details: null });
  });
});

it("knows a container that is named at the beginning of a stream only", () => {
  const message = { id: "m", type: "message", content: [], container: { id: "container_1" } };
  const events = decodeChunks(anthropicMessages, [
    toBytes(
      namedEvents(
        { type: "message_start", message } as { type: string },
        { type: "message_delta", delta: { stop_reason: "end_turn", container: null } } as { type: string },
        { type: "message_stop" },
      ),
    ),
  ]);
  expect(metadataIn(events)).toEqual({ container: { id: "container_1", skills: null } });
});
