import { describe, expect, it } from "vitest";
import { checkRequest } from "../src/check-request.ts";
import { FullstopError } from "../src/index.ts";
import type { GenerationRequest } from "../src/index.ts";
import { REMOTE_NAMES } from "../src/request-names.ts";

const messages = [{ role: "user", content: [{ type: "text", text: "Hi" }] }];

/** A request as a caller without types might make it. */
const made = (fields: object): GenerationRequest => ({ model: "m", messages, ...fields }) as GenerationRequest;

describe("a request that is none is refused, with the value quoted and what to do", () => {
  it.each<[object, string]>([
    [{ model: undefined }, "request model must be the name of a model, got undefined"],
    [{ model: "" }, `request model must be the name of a model, got ""`],
    [{ messages: undefined }, "request messages must be a list, got undefined"],
    [{ messages: "Hi" }, `request messages must be a list, got "Hi"`],
    [{ messages: ["Hi"] }, `request messages[0] must be a message, such as { role, content }, got "Hi"`],
    [{ messages: [null] }, "got null"],
    [
      { messages: [...messages, { role: "User", content: [] }] },
      `request messages[1] role must be one of system, user, assistant, tool, got "User"`,
    ],
    [{ messages: [{ role: "toString", content: [] }] }, `got "toString"`],
    [
      { messages: [{ role: "user", content: "Hi" }] },
      `request messages[0] content must be a list of parts, such as [{ type: "text", text: "Hello" }], got "Hi"`,
    ],
    [
      { messages: [{ role: "user", content: [{ text: "Hi" }] }] },
      `request messages[0] content[0] must have a type, one of text, image, opaque, got {"text":"Hi"}`,
    ],
    [
      { messages: [{ role: "user", content: ["Hi"] }] },
      `content[0] must have a type, one of text, image, opaque, got "Hi"`,
    ],
    [{ messages: [{ role: "system", content: [{ type: "image" }] }] }, "must have a type, one of text, got"],
    [{ messages: [{ role: "user", content: [{ type: "image" }] }] }, "must have a source, such as { type, url }"],
    [{ messages: [{ role: "user", content: [{ type: "text" }] }] }, "must have a string as its text"],
    [
      { messages: [{ role: "assistant", content: [{ type: "tool-call", callId: "a", name: "f", json: {} }] }] },
      "must have a string as its json",
    ],
    [{ messages: [{ role: "tool", content: [] }] }, "messages[0] callId must be the id of the call that it answers"],
    [{ maxTokens: 3 }, `request has no "maxTokens"; use maxOutputTokens`],
    [{ temperature: 1 }, `request has no "temperature"; use sampling.temperature`],
    [{ system: "Be brief" }, `request has no "system"; use a message with the role "system"`],
    [{ topics: 3 }, `request has no such option; the options are model, messages,`],
    [{ maxOutputTokens: -5 }, "request maxOutputTokens must be a whole number of at least 0, got -5"],
    [{ maxOutputTokens: "5" }, `got "5"`],
    [{ sampling: { temperature: Number.NaN } }, "request sampling temperature must be a number, got NaN"],
    [{ sampling: { temp: 1 } }, `got "temp"`],
    [{ sampling: 1 }, "request sampling must be an object, got 1"],
    [
      { reasoning: { budgetTokens: -1 } },
      "request reasoning budgetTokens must be a whole number of at least 0, got -1",
    ],
    [{ reasoning: { effort: 3 } }, "request reasoning effort must be a string, got 3"],
    [{ reasoning: { effortOnly: "yes" } }, `request reasoning effortOnly must be true or false, got "yes"`],
    [{ reasoning: { think: true } }, `got "think"`],
    [{ stop: "END" }, `request stop must be a list of strings, got "END"`],
    [{ stop: [""] }, `request stop must hold strings that are not empty, got ""`],
    [{ stop: [/END/u] }, "got /END/u"],
    [{ tools: [{}] }, "request tools must hold tools, each with a name, got {}"],
    [{ tools: [{ name: "f", parameters: "x" }] }, `request tool f parameters must be a JSON Schema`],
    [{ toolChoice: "any" }, "request toolChoice must be auto, none, required, { name } or { allowed, mode }"],
    [{ toolChoice: { allowed: "f", mode: "auto" } }, "a list of names with auto or required, got {"],
    [{ toolChoice: { allowed: ["f"], mode: "none" } }, "a list of names with auto or required, got {"],
    [{ output: "json" }, `request output must have a type, one of text, json, json-schema, got "json"`],
    [{ output: { type: "json-schema" } }, "request output schema must be a JSON Schema, got undefined"],
    [{ stream: "yes" }, `request stream must be true or false, got "yes"`],
    [{ user: 5 }, "request user must be a string, got 5"],
    [{ native: null }, "request native must have a format, such as openai-chat, and fields, got null"],
    [{ native: { format: "gemini" } }, `request native must have a format, such as openai-chat, and fields, got {`],
    [{ tools: [{ name: "f", textInput: true }] }, "request tool f textInput must be {} for any text, or { grammar"],
    [{ tools: [{ name: "f", textInput: { grammar: { syntax: "lark" } } }] }, "request tool f textInput must be {}"],
    [{ tools: [{ name: "f", native: { fields: {} } }] }, "request tool f native must have a format"],
    [{ messages: [{ role: "tool", callId: "a", content: [], native: 5 }] }, "messages[0] native must have a format"],
    [
      { messages: [{ role: "user", content: [{ type: "text", text: "Hi", native: { cache_control: {} } }] }] },
      "request messages[0] content[0] has a native, which must have a format, such as openai-chat, and fields, got {",
    ],
    [{ messages: [{ role: "user", content: [{ type: "opaque", value: {} }] }] }, "must have a string as its format"],
    [{ metadata: [] }, "request metadata must be an object of strings, got []"],
    [{ rules: 5 }, "request rules must be an object, got 5"],
    [{ onWarning: 5 }, "request onWarning must be a function, got 5"],
  ])("%o", (fields, message) => {
    expect(() => checkRequest(made(fields))).toThrow(FullstopError);
    expect(() => checkRequest(made(fields))).toThrow(message);
  });

  it.each([undefined, null, "Hi", []])("%o in place of one", (request) => {
    expect(() => checkRequest(request as never)).toThrow(FullstopError);
  });

  it("a setting that only models on this machine have, where a provider is asked", () => {
    const request = made({ sampling: { minP: 0.1 } });
    expect(() => checkRequest(request)).not.toThrow();
    expect(() => checkRequest(request, REMOTE_NAMES)).toThrow(`got "minP"`);
  });
});

it("a request with everything in it passes", () => {
  const request: GenerationRequest = {
    model: "m",
    messages: [
      { role: "system", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }] },
      {
        role: "assistant",
        isPartial: true,
        content: [
          { type: "reasoning", text: "Hm.", signature: "proof" },
          { type: "opaque", format: "gemini", value: 1 },
          { type: "tool-call", callId: "a", name: "f", json: "{}" },
        ],
      },
      { role: "tool", callId: "a", content: [], native: { format: "gemini", fields: {} } },
    ],
    stream: false,
    tools: [
      { name: "f", parameters: { type: "object" }, native: undefined },
      { name: "g", textInput: {} },
      { name: "h", textInput: { grammar: { syntax: "regex", definition: "a+" } } },
    ],
    native: { format: "gemini", fields: { labels: {} } },
    toolChoice: { name: "f" },
    parallelToolCalls: false,
    reasoning: { effort: "high", budgetTokens: 0, show: undefined, effortOnly: false },
    stop: ["END"],
    maxOutputTokens: 0,
    sampling: { temperature: 0, topP: undefined, presencePenalty: -1, seed: -7 },
    output: { type: "json-schema", schema: {} },
    metadata: { a: "b" },
    store: true,
    streamUsage: true,
    user: "u",
  };
  expect(() => checkRequest(request, REMOTE_NAMES)).not.toThrow();
});

it("takes a choice among some tools", () => {
  const request = { model: "m", messages: [], toolChoice: { allowed: ["f"], mode: "auto" } } as const;
  expect(() => checkRequest(request, REMOTE_NAMES)).not.toThrow();
});
