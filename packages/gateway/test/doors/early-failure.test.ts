import { describe, expect, it } from "vitest";
import { askRaw } from "../support/raw.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();

const event = (type: string, fields: object): { readonly raw: string } => ({
  raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
});

const OVERLOADED = event("error", { error: { type: "overloaded_error", message: "Overloaded" } });

describe("a stream that fails before it has said anything", () => {
  it.each([
    { what: "has told nothing", usage: {} },
    { what: "has told what the prompt costs", usage: { usage: { input_tokens: 50, output_tokens: 1 } } },
  ])("is refused with the status of its failure where its provider $what", async ({ usage }) => {
    const message = { id: "m", type: "message", role: "assistant", model: "a", content: [], ...usage };
    gateway.script("anthropic-messages", [event("message_start", { message }), OVERLOADED]);
    const answer = await askRaw(gateway.url, "openai-chat", { model: "anthropic-messages/a", stream: true });
    expect(answer).toMatchObject({ status: 503, documents: [{ error: { code: "overloaded" } }] });
  });
});
