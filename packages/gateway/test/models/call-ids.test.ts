import { describe, expect, it } from "vitest";
import { configuredProvider } from "../../src/config/configured-providers.ts";

/** Proxies keep the proof of Gemini's thinking in the id of a call. */
const id = `call_1__thought__${"CiQB0e2Kb2M=".repeat(30)}`;

function isKept(baseUrl: string, dialect: "openai-chat" | "openai-responses", key: string | undefined): boolean {
  const { format } = configuredProvider("server", { baseUrl, dialect }, key);
  const { body } = format.encodeRequest({
    model: "m",
    messages: [
      { role: "assistant", content: [{ type: "tool-call", callId: id, name: "f", json: "{}" }] },
      { role: "tool", callId: id, content: [] },
    ],
  });
  return JSON.stringify(body).includes(id);
}

describe.each(["openai-chat", "openai-responses"] as const)("a long id of a call by %s", (dialect) => {
  it.each([undefined, "k"])("goes back to a server as it came (key %s)", (key) => {
    expect(isKept("http://127.0.0.1:4000/v1", dialect, key)).toBe(true);
  });

  it("is shortened for OpenAI, which would refuse it", () => {
    expect(isKept("https://api.openai.com/v1", dialect, "k")).toBe(false);
  });
});
