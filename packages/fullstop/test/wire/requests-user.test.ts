import { describe, expect, it } from "vitest";
import { anthropicMessages, openaiChat, openaiResponses } from "../../src/wire/index.ts";
import type { EncodedRequest } from "../../src/wire/index.ts";

/** The name that Claude Code gives: three ids in one. */
const LONG = JSON.stringify({
  device_id: "0f".repeat(32),
  account_uuid: "7a3c1c52-94e5-4f52-8f6f-0d4a2f2a9a11",
  session_id: "c0a8012e-1b1d-4a57-9a33-5f3fd6a4b0c7",
});

function askedFor(user: string, format: typeof openaiChat): EncodedRequest {
  const body = { model: "m", max_tokens: 9, metadata: { user_id: user }, messages: [{ role: "user", content: "Hi" }] };
  return format.encodeRequest(anthropicMessages.decodeRequest(body).request);
}

describe.each([openaiChat, openaiResponses])("the name of a person in $name", (format) => {
  const nameOf = (user: string): unknown => askedFor(user, format).body["user"];

  it("is as long as providers take it, and still tells people apart", () => {
    const name = nameOf(LONG);
    expect(String(name)).toHaveLength(64);
    expect(nameOf(LONG)).toBe(name);
    expect(nameOf(LONG.replace("b0c7", "b0c8"))).not.toBe(name);
    expect(askedFor(LONG, format).warnings).toEqual([
      { field: "user", message: "Providers take at most 64 characters; a shorter name that stands for it was sent." },
    ]);
  });

  it("stays as it is where it is short enough", () => {
    expect(nameOf("u".repeat(64))).toBe("u".repeat(64));
    expect(askedFor("u".repeat(64), format).warnings).toEqual([]);
  });
});

it("stays as it is for Anthropic", () => {
  expect(askedFor(LONG, anthropicMessages).body["metadata"]).toEqual({ user_id: LONG });
});
