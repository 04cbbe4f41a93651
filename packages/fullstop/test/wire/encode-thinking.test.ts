import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import { unwrapSignature, wrapSignature } from "../../src/wire/signatures.ts";
import {
  finish,
  payloadsOf,
  read,
  redacted,
  reasoning,
  signature,
  start,
  text,
  writeStream,
  writeWhole,
} from "../support/official.ts";
import type { Dialect, Json } from "../support/official.ts";

const done = finish("natural_completion");

const thinking = [start, reasoning("Let me "), reasoning("see."), signature("proof"), text("Four."), done];
const twoThoughts = [start, reasoning("a"), signature("1"), reasoning("b"), signature("2"), done];
const hidden = [start, redacted("sealed"), text("Four."), done];
const between = [start, text("a"), reasoning("b"), text("c"), done];

describe("thinking", () => {
  it("is reasoning_content in Chat, without a signature of which nobody says whose it is", () => {
    const { body, warnings } = writeWhole("openai-chat", thinking);
    expect(read(body, "choices", 0, "message")).toEqual({
      role: "assistant",
      content: "Four.",
      refusal: null,
      reasoning_content: "Let me see.",
    });
    expect(warnings).toEqual(["signature"]);
    expect(writeStream("openai-chat", twoThoughts).warnings.map(({ field }) => field)).toEqual(["signature"]);
  });

  it("has its signatures in reasoning_details in Chat, all of them in one piece of a stream", () => {
    const signed = (signature_: string): GenerationEvent => ({
      type: "reasoning",
      text: "",
      signature: signature_,
      signedBy: "anthropic-messages",
    });
    const events = [start, reasoning("a"), signed("1"), text("Hm."), reasoning("b"), signed("2"), text("Four."), done];
    const wrapped = (proof: string): string => wrapSignature(proof, "anthropic-messages", "openai-chat");
    const details = [
      { type: "reasoning.text", text: "a", signature: wrapped("1"), format: "fullstop", index: 0 },
      { type: "reasoning.text", text: "b", signature: wrapped("2"), format: "fullstop", index: 2 },
    ];
    const { body, warnings } = writeWhole("openai-chat", events);
    expect(read(body, "choices", 0, "message", "reasoning_details")).toEqual(details);
    expect(warnings).toEqual([]);
    const payloads = payloadsOf(writeStream("openai-chat", events).frames);
    const written = payloads.map((chunk) => read(chunk, "choices", 0, "delta", "reasoning_details"));
    expect(written.filter((each) => each !== undefined)).toEqual([details]);
  });

  it("is a signed block in Messages", () => {
    expect(writeWhole("anthropic-messages", thinking).body["content"]).toEqual([
      { type: "thinking", thinking: "Let me see.", signature: "proof" },
      { type: "text", text: "Four." },
    ]);
    const types = payloadsOf(writeStream("anthropic-messages", thinking).frames).map(
      (payload) => read(payload, "delta", "type") ?? payload["type"],
    );
    expect(types.slice(1, 9)).toEqual([
      "content_block_start",
      "thinking_delta",
      "thinking_delta",
      "signature_delta",
      "content_block_stop",
      "content_block_start",
      "text_delta",
      "content_block_stop",
    ]);
  });

  it("is a redacted block in Messages where nothing of it is shown", () => {
    const block = { type: "redacted_thinking", data: "sealed" };
    expect(read(writeWhole("anthropic-messages", hidden).body, "content", 0)).toEqual(block);
    const payloads = payloadsOf(writeStream("anthropic-messages", hidden).frames);
    expect(payloads[1]).toMatchObject({ type: "content_block_start", content_block: block });
    expect(payloads[2]).toMatchObject({ type: "content_block_stop", index: 0 });
  });

  it("is a block without text in Messages where it is only not shown", () => {
    const unseen = [start, signature("proof"), text("Four."), done];
    const block = { type: "thinking", thinking: "", signature: "proof" };
    expect(read(writeWhole("anthropic-messages", unseen).body, "content", 0)).toEqual(block);
    const payloads = payloadsOf(writeStream("anthropic-messages", unseen).frames);
    expect(payloads[2]).toMatchObject({ delta: { type: "signature_delta", signature: "proof" } });
  });

  it("is a summary with encrypted content in Responses", () => {
    expect(writeWhole("openai-responses", thinking).body["output"]).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Let me see." }], encrypted_content: "proof" },
      { type: "message", content: [{ type: "output_text", text: "Four." }] },
    ]);
    expect(writeWhole("openai-responses", hidden).body["output"]).toMatchObject([
      { type: "reasoning", summary: [], encrypted_content: "sealed" },
      { type: "message" },
    ]);
  });

  it("is a thought with its signature in Gemini", () => {
    expect(read(writeWhole("gemini", thinking).body, "candidates", 0, "content", "parts")).toEqual([
      { text: "Let me see.", thought: true, thoughtSignature: "proof" },
      { text: "Four." },
    ]);
    const signed = payloadsOf(writeStream("gemini", thinking).frames)[2];
    expect(read(signed, "candidates", 0, "content", "parts")).toEqual([
      { text: "", thought: true, thoughtSignature: "proof" },
    ]);
  });

  const FOREIGN: Readonly<Record<Exclude<Dialect, "openai-chat">, (body: Json, frames: readonly Json[]) => unknown[]>> =
    {
      "anthropic-messages": (body, frames) => [
        read(body, "content", 0, "signature"),
        ...frames.map((frame) => read(frame, "delta", "signature")),
      ],
      "openai-responses": (body, frames) => [
        read(body, "output", 0, "encrypted_content"),
        ...frames.map((frame) => read(frame, "response", "output", 0, "encrypted_content")),
      ],
      gemini: (body, frames) =>
        [body, ...frames].map((frame) => read(frame, "candidates", 0, "content", "parts", 0, "thoughtSignature")),
    };

  it.each(Object.entries(FOREIGN))("has another provider's signature wrapped in %s", (name, signaturesOf) => {
    const dialect = name as Dialect;
    for (const signer of [...Object.keys(FOREIGN), "bedrock-converse"]) {
      const events = [start, reasoning("Let me see."), signature("proof", signer), text("Four."), done];
      const { body, warnings } = writeWhole(dialect, events);
      const frames = payloadsOf(writeStream(dialect, events).frames);
      const written = new Set(signaturesOf(body, frames).filter((value) => value !== undefined));
      expect(written.size).toBe(1);
      const [only] = [...written] as [string];
      expect(only === "proof").toBe(signer === dialect);
      expect(unwrapSignature(only, dialect)).toEqual({ signature: "proof", signedBy: signer });
      expect(warnings).toEqual([]);
    }
  });

  it("says in Responses and in Gemini that it is withheld, to be sent back like that", () => {
    const sealed = [start, redacted("sealed", "anthropic-messages"), text("Four."), done];
    const item = read(writeWhole("openai-responses", sealed).body, "output", 0);
    expect(read(item, "id")).toBe("rs_redacted_gen-1_0");
    expect(unwrapSignature(String(read(item, "encrypted_content")), "openai-responses")).toEqual({
      signature: "sealed",
      signedBy: "anthropic-messages",
    });
    const added = payloadsOf(writeStream("openai-responses", sealed).frames)[2];
    expect(read(added, "item", "id")).toBe("rs_redacted_gen-1_0");
    const shown = writeWhole("openai-responses", thinking).body;
    expect(read(shown, "output", 0, "id")).toBe("rs_gen-1_0");
    for (const body of [writeWhole("gemini", sealed).body, payloadsOf(writeStream("gemini", sealed).frames)[0]]) {
      const part = read(body, "candidates", 0, "content", "parts", 0);
      expect(unwrapSignature(String(read(part, "thoughtSignature")), "gemini")).toEqual({
        signature: "sealed",
        signedBy: "anthropic-messages",
        redacted: true,
      });
    }
  });

  it("ends with its signature, and what follows is another thought", () => {
    expect(writeWhole("anthropic-messages", twoThoughts).body["content"]).toEqual([
      { type: "thinking", thinking: "a", signature: "1" },
      { type: "thinking", thinking: "b", signature: "2" },
    ]);
    expect(writeWhole("openai-responses", twoThoughts).body["output"]).toHaveLength(2);
  });

  it("between two texts keeps its place where the dialect has places", () => {
    const types = (dialect: Dialect, field: string): unknown =>
      (writeWhole(dialect, between).body[field] as Json[]).map(({ type }) => type);
    expect(types("anthropic-messages", "content")).toEqual(["text", "thinking", "text"]);
    expect(types("openai-responses", "output")).toEqual(["message", "reasoning", "message"]);
    expect(read(writeWhole("openai-chat", between).body, "choices", 0, "message", "content")).toBe("ac");
  });
});
