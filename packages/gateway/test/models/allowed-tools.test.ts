import { describe, expect, it } from "vitest";
import { gemini, openaiResponses } from "fullstop/wire";
import { configuredProvider } from "../../src/config/configured-providers.ts";
import type { ProviderConfig } from "../../src/config/config.ts";

const NAMES = ["read", "delete_all"];

/** What clients send that may know tools which the model must not call. */
const REQUESTS = [
  gemini.decodeRequest(
    {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      tools: [{ functionDeclarations: NAMES.map((name) => ({ name })) }],
      toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["read"] } },
    },
    { model: "m" },
  ),
  openaiResponses.decodeRequest({
    model: "m",
    input: "Hi",
    tools: NAMES.map((name) => ({ type: "function", name, parameters: null })),
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "read" }] },
  }),
].map(({ request }) => request);

const SERVER = "http://127.0.0.1:8000/v1";
const OPENAI = "https://api.openai.com/v1";

function written(description: ProviderConfig, key: string | undefined): readonly string[] {
  const { format } = configuredProvider("server", description, key);
  return REQUESTS.map((request) => JSON.stringify(format.encodeRequest(request).body));
}

describe("a tool that must not be called", () => {
  it.each<{ description: ProviderConfig; key?: string }>([
    { description: { baseUrl: SERVER, dialect: "openai-chat" } },
    { description: { baseUrl: SERVER, dialect: "openai-chat" }, key: "k" },
    { description: { baseUrl: SERVER, dialect: "openai-chat", reasoningField: "reasoning" }, key: "k" },
    { description: { baseUrl: SERVER, dialect: "openai-responses" } },
    { description: { baseUrl: SERVER, dialect: "openai-responses" }, key: "k" },
  ])("is not sent to a server that may not know how to be told so ($description, $key)", ({ description, key }) => {
    for (const body of written(description, key)) {
      expect(body).toContain('"tool_choice":"auto"');
      expect(body).not.toContain("delete_all");
    }
  });

  it.each(["openai-chat", "openai-responses"] as const)("is told to OpenAI by %s", (dialect) => {
    for (const body of written({ baseUrl: OPENAI, dialect }, "k")) {
      expect(body).toContain('"allowed_tools"');
      expect(body).toContain("delete_all");
    }
  });
});
