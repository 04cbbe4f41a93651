import type { Content, GenerationConfig, Tool, ToolConfig } from "@google/genai";
import { describe, expect, it } from "vitest";
import type { GenerationRequest, Message, ReasoningSettings } from "../../src/request.ts";
import { decodeGeminiRequest } from "../../src/wire/gemini/decode-request.ts";
import { encodeGeminiRequest as encode } from "../../src/wire/gemini/encode-request.ts";
import { wrapSignature } from "../../src/wire/signatures.ts";

/** The body of a request, which the SDK's types know only in pieces. Its enums are given as the words they stand for. */
interface Body {
  readonly contents: Content[];
  readonly systemInstruction?: Content;
  readonly tools?: Tool[];
  readonly toolConfig?: Words<ToolConfig>;
  readonly generationConfig?: Words<GenerationConfig>;
  readonly labels?: Record<string, string>;
  readonly store?: boolean;
}

type Words<T> = T extends string ? `${T}` : T extends object ? { [Key in keyof T]: Words<T[Key]> } : T;

interface Exact {
  readonly what: string;
  readonly body: Body;
  readonly request: GenerationRequest;
}

const decode = (body: unknown) => decodeGeminiRequest(body, { model: "m" });
const fieldsOf = (warnings: readonly { readonly field: string }[]): string[] =>
  warnings.map(({ field }) => field).sort();

const hello: GenerationRequest = { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] };
const helloBody = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const schema = { type: "object", properties: { city: { type: "string" } } };
const signedBy = "gemini";

const exact: readonly Exact[] = [
  { what: "the shortest request", body: helloBody, request: hello },
  {
    what: "a whole conversation",
    body: {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        {
          role: "user",
          parts: [
            { text: "What is this?" },
            { fileData: { fileUri: "https://example.com/cat", mimeType: "image/png" } },
            { inlineData: { mimeType: "image/png", data: "AAAA" } },
            {
              fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/x1", mimeType: "image/png" },
            },
          ],
        },
        {
          role: "model",
          parts: [
            { text: "Hm.", thought: true, thoughtSignature: "c2ln" },
            { text: "Let me look." },
            { text: "", thoughtSignature: "c2lnMg==" },
            { functionCall: { id: "call_1", name: "look", args: { at: 1 } }, thoughtSignature: "c2lnMw==" },
            { functionCall: { id: "call_2", name: "look", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                id: "call_1",
                name: "look",
                response: { output: "a cat" },
                parts: [{ inlineData: { mimeType: "image/png", data: "BBBB" } }],
              },
            },
            { functionResponse: { id: "call_2", name: "look", response: { error: "blind" } } },
          ],
        },
        { role: "user", parts: [{ text: "Well?" }] },
      ],
    },
    request: {
      model: "m",
      messages: [
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source: { type: "url", url: "https://example.com/cat" }, mediaType: "image/png" },
            { type: "image", source: { type: "data", mediaType: "image/png", data: "AAAA" } },
            {
              type: "image",
              source: { type: "file", id: "https://generativelanguage.googleapis.com/v1beta/files/x1" },
              mediaType: "image/png",
            },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm.", signature: "c2ln", signedBy },
            { type: "text", text: "Let me look." },
            { type: "reasoning", text: "", signature: "c2lnMg==", signedBy },
            { type: "tool-call", callId: "call_1", name: "look", json: '{"at":1}', signature: "c2lnMw==", signedBy },
            { type: "tool-call", callId: "call_2", name: "look", json: "{}" },
          ],
        },
        {
          role: "tool",
          callId: "call_1",
          name: "look",
          content: [
            { type: "text", text: "a cat" },
            { type: "image", source: { type: "data", mediaType: "image/png", data: "BBBB" } },
          ],
        },
        { role: "tool", callId: "call_2", name: "look", content: [{ type: "text", text: "blind" }], isError: true },
        { role: "user", content: [{ type: "text", text: "Well?" }] },
      ],
    },
  },
  {
    what: "every setting",
    body: {
      ...helloBody,
      tools: [{ functionDeclarations: [{ name: "look", description: "Looks", parametersJsonSchema: schema }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look"] } },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        presencePenalty: -1,
        frequencyPenalty: 1,
        seed: 7,
        maxOutputTokens: 100,
        stopSequences: ["END", "\n\n"],
        thinkingConfig: { thinkingLevel: "HIGH", includeThoughts: true },
        responseMimeType: "application/json",
        responseJsonSchema: schema,
      },
      labels: { team: "blue" },
      store: false,
    },
    request: {
      ...hello,
      tools: [{ name: "look", description: "Looks", parameters: schema }],
      toolChoice: { name: "look" },
      sampling: { temperature: 0.5, topP: 0.9, topK: 40, presencePenalty: -1, frequencyPenalty: 1, seed: 7 },
      maxOutputTokens: 100,
      stop: ["END", "\n\n"],
      reasoning: { effort: "high", show: true },
      output: { type: "json-schema", schema },
      metadata: { team: "blue" },
      store: false,
    },
  },
];

describe("a Gemini request", () => {
  it.each(exact)("reads and writes $what", ({ body, request }) => {
    expect(decode(body)).toEqual({ request, warnings: [] });
    expect(encode(request)).toEqual({ body, warnings: [] });
  });

  it("has its model and its stream in the address", () => {
    expect(decodeGeminiRequest(helloBody, { model: "t", stream: true }).request).toEqual({
      ...hello,
      model: "t",
      stream: true,
    });
    expect(decodeGeminiRequest({ ...helloBody, model: "models/b" }).request.model).toBe("models/b");
    expect(() => decodeGeminiRequest(helloBody)).toThrow("model must be the name of a model, got undefined");
    expect(encode({ ...hello, stream: true }).body).toEqual(helloBody);
  });

  it("reads names in snake_case as well", () => {
    const body = {
      contents: [{ parts: [{ inline_data: { mime_type: "image/png", data: "AAAA" } }] }],
      system_instruction: { role: "system", parts: [{ text: "Be brief." }] },
      generation_config: { max_output_tokens: 5, stop_sequences: ["END"] },
    };
    const messages: Message[] = [
      { role: "system", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: [{ type: "image", source: { type: "data", mediaType: "image/png", data: "AAAA" } }] },
    ];
    expect(decode(body)).toEqual({
      request: { model: "m", messages, maxOutputTokens: 5, stop: ["END"] },
      warnings: [],
    });
  });

  it("gives calls and results without an id one, by name and order", () => {
    const { request } = decode({
      contents: [
        {
          role: "model",
          parts: [
            { functionCall: { name: "f" } },
            { functionCall: { name: "g", args: { a: 1 } } },
            { functionCall: { name: "f" } },
          ],
        },
        {
          role: "function",
          parts: ["f", "f", "g"].map((name) => ({ functionResponse: { name, response: { output: name } } })),
        },
      ],
    });
    expect(request.messages.map((message) => (message.role === "tool" ? message.callId : message.content))).toEqual([
      [
        { type: "tool-call", callId: "call_0", name: "f", json: "{}" },
        { type: "tool-call", callId: "call_1", name: "g", json: '{"a":1}' },
        { type: "tool-call", callId: "call_2", name: "f", json: "{}" },
      ],
      "call_0",
      "call_2",
      "call_1",
    ]);
  });

  it.each([
    { response: { output: "x" }, content: "x", isError: undefined },
    { response: { output: { a: 1 } }, content: '{"a":1}', isError: undefined },
    { response: { result: "x", took: 3 }, content: '{"result":"x","took":3}', isError: undefined },
    { response: { output: "x", took: 3 }, content: '{"output":"x","took":3}', isError: undefined },
    { response: { result: "x" }, content: '{"result":"x"}', isError: undefined },
    { response: { error: ["x"] }, content: '["x"]', isError: true },
  ])("reads the result $response", ({ response, content, isError }) => {
    const { request } = decode({
      contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response } }] }],
    });
    expect(request.messages[0]).toEqual({
      role: "tool",
      callId: "call_0",
      name: "f",
      content: [{ type: "text", text: content }],
      ...(isError === true ? { isError } : {}),
    });
  });

  it.each(['{"temp":20,"unit":"C"}', '{"result":"x"}', '{"output":"x","took":3}', '{"a":{"output":1}}'])(
    "sends the result %s as the object it is",
    (text) => {
      const call = { role: "tool" as const, callId: "c", name: "f", content: [{ type: "text" as const, text }] };
      const { body, warnings } = encode({ model: "m", messages: [call] });
      expect(body["contents"]).toEqual([
        { role: "user", parts: [{ functionResponse: { id: "c", name: "f", response: JSON.parse(text) as unknown } }] },
      ]);
      expect(warnings).toEqual([]);
      expect(decode(body).request.messages).toEqual([call]);
    },
  );

  it.each([
    "{}",
    '{"output":"x"}',
    '{"error":"x"}',
    '{"a": 1}',
    '{"a":1,"a":2}',
    '{"a":12345678901234567890}',
    "{",
    "[1]",
  ])("sends the result %s as text, because it would not come back", (text) => {
    const call = { role: "tool" as const, callId: "c", name: "f", content: [{ type: "text" as const, text }] };
    const { body } = encode({ model: "m", messages: [call] });
    expect(body["contents"]).toMatchObject([{ parts: [{ functionResponse: { response: { output: text } } }] }]);
    expect(decode(body).request.messages).toEqual([call]);
  });

  it("makes one turn of what the model does in a row, and reads it so", () => {
    const text = (value: string) => ({ type: "text" as const, text: value });
    const messages: Message[] = [
      ...hello.messages,
      { role: "assistant", content: [text("a")], isPartial: true },
      { role: "assistant", content: [{ type: "tool-call", callId: "c", name: "f", json: "{}" }] },
      { role: "tool", callId: "c", name: "f", content: [] },
      { role: "user", content: [text("b")] },
      { role: "user", content: [text("c")] },
    ];
    const { body } = encode({ model: "m", messages });
    expect(body["contents"]).toEqual([
      ...helloBody.contents,
      { role: "model", parts: [{ text: "a" }, { functionCall: { id: "c", name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id: "c", name: "f", response: { output: "" } } }] },
      { role: "user", parts: [{ text: "b" }] },
      { role: "user", parts: [{ text: "c" }] },
    ]);
  });

  it("joins the chunks of a stream that a client has kept one by one", () => {
    const chunks = [
      { text: "I ", thought: true },
      { text: "think", thought: true },
      { text: "", thought: true, thoughtSignature: "c2ln" },
      { text: "More", thought: true },
      { text: "", thought: true, thoughtSignature: wrapSignature("secret", "anthropic-messages", "gemini", true) },
      { text: "Last", thought: true },
      { text: "", thoughtSignature: "YXBhcnQ=" },
      { text: "Let " },
      { text: "me see" },
      { text: "", thoughtSignature: "c2lnMg==" },
      { functionCall: { id: "c1", name: "f", args: {} } },
      { functionCall: { id: "c2", name: "f", args: {} } },
      { text: "" },
    ];
    const contents = [...helloBody.contents, ...chunks.map((part) => ({ role: "model", parts: [part] }))];
    const { request, warnings } = decode({ contents });
    expect(warnings).toEqual([]);
    expect(request.messages).toEqual([
      ...hello.messages,
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "I think", signature: "c2ln", signedBy },
          { type: "reasoning", text: "More" },
          { type: "reasoning", text: "", signature: "secret", signedBy: "anthropic-messages", redacted: true },
          { type: "reasoning", text: "Last" },
          { type: "reasoning", text: "", signature: "YXBhcnQ=", signedBy },
          { type: "text", text: "Let me see" },
          { type: "reasoning", text: "", signature: "c2lnMg==", signedBy },
          { type: "tool-call", callId: "c1", name: "f", json: "{}" },
          { type: "tool-call", callId: "c2", name: "f", json: "{}" },
        ],
      },
    ]);
  });

  it("keeps what only the provider understands, and a proof that stands alone", () => {
    const code = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "c2ln" };
    const { request, warnings } = decode({
      contents: [{ role: "model", parts: [code, { thoughtSignature: "c2ln" }, {}] }],
    });
    expect(warnings).toEqual([]);
    expect(request.messages[0]?.content).toEqual([
      { type: "opaque", format: "gemini", value: code },
      { type: "reasoning", text: "", signature: "c2ln", signedBy },
    ]);
  });

  it("leaves out proofs of other providers, and thinking of which nothing else is there", () => {
    const foreign = { signature: "s", signedBy: "anthropic-messages" };
    const { body, warnings } = encode({
      model: "m",
      messages: [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm.", ...foreign },
            { type: "reasoning", text: "", ...foreign, redacted: true },
            { type: "tool-call", callId: "c", name: "f", json: "", ...foreign },
          ],
        },
      ],
    });
    expect(body["contents"]).toEqual([
      { role: "model", parts: [{ text: "Hm.", thought: true }, { functionCall: { id: "c", name: "f", args: {} } }] },
    ]);
    expect(fieldsOf(warnings)).toEqual([
      "messages[0].content[0].signature",
      "messages[0].content[1]",
      "messages[0].content[2].signature",
    ]);
  });

  it.each([
    { model: "gemini-3-pro-preview", isMarked: true },
    { model: "google/gemini-3.1-flash", isMarked: true },
    { model: "gemini-flash-latest", isMarked: true },
    { model: "gemini-12-pro", isMarked: true },
    { model: "gemini-2.5-pro", isMarked: false },
    { model: "gemini-2", isMarked: false },
    { model: "gemma-3", isMarked: false },
  ])("says of calls without a proof that they have none, where $model would refuse them", ({ model, isMarked }) => {
    const call = (callId: string, signature?: string) => {
      return { type: "tool-call" as const, callId, name: "f", json: "{}", signature, signedBy: "gemini" };
    };
    const result = (callId: string): Message => ({ role: "tool", callId, name: "f", content: [] });
    const messages: readonly Message[] = [
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hm." }, call("a"), call("b")] },
      result("a"),
      result("b"),
      { role: "assistant", content: [call("c", "c2ln"), call("d")] },
      result("c"),
      result("d"),
    ];
    const { body, warnings } = encode({ model, messages });
    const contents = body["contents"] as readonly { readonly parts: readonly object[] }[];
    const signatures = contents
      .flatMap(({ parts }) => parts)
      .filter((part) => "functionCall" in part)
      .map((part) => ("thoughtSignature" in part ? part.thoughtSignature : undefined));
    expect(signatures).toEqual([
      isMarked ? "skip_thought_signature_validator" : undefined,
      undefined,
      "c2ln",
      undefined,
    ]);
    expect(warnings).toEqual([]);
  });

  it("cannot say of a tool's image how closely to look, nor take one from another's store", () => {
    const { body, warnings } = encode({
      model: "m",
      messages: [
        {
          role: "tool",
          callId: "c",
          name: "f",
          content: [
            { type: "image", source: { type: "data", mediaType: "image/png", data: "AAAA" }, detail: "high" },
            { type: "image", source: { type: "file", id: "file-1" } },
          ],
        },
      ],
    });
    const parts = [{ inlineData: { mimeType: "image/png", data: "AAAA" } }];
    expect(body["contents"]).toMatchObject([{ parts: [{ functionResponse: { parts } }] }]);
    expect(fieldsOf(warnings)).toEqual(["messages[0].content[0].detail", "messages[0].content[1]"]);
  });

  it.each([
    { part: { output: { type: "json-schema" as const, schema, name: "place", strict: true } }, fields: [] },
    {
      part: { output: { type: "json-schema" as const, schema, description: "A place" } },
      fields: ["output.description"],
    },
    {
      part: {
        tools: [
          { name: "f", strict: true },
          { name: "g", strict: false },
        ],
      },
      fields: ["tools[0].strict"],
    },
  ])("warns of what is lost of $part and of nothing else", ({ part, fields }) => {
    expect(fieldsOf(encode({ ...hello, ...part }).warnings)).toEqual(fields);
  });

  it("reads the provider's own kind of schema as JSON Schema", () => {
    const parameters = {
      type: "OBJECT",
      properties: {
        type: { type: "STRING", nullable: true, minLength: "2" },
        many: { type: "ARRAY", items: { type: "INTEGER" }, max_items: "5" },
        either: { anyOf: [{ type: "NUMBER" }, { type: "TYPE_UNSPECIFIED", description: "TYPE" }] },
        many_or_none: { anyOf: [{ type: "STRING" }, { type: "INTEGER" }], nullable: true },
        word: { type: "STRING", enum: ["x"], nullable: true },
        anything: { nullable: true },
        described: { description: "d", nullable: true },
      },
      required: ["type"],
      default: { a: { type: "KEPT" } },
    };
    const expected = {
      type: "object",
      properties: {
        type: { type: ["string", "null"], minLength: 2 },
        many: { type: "array", items: { type: "integer" }, maxItems: 5 },
        either: { anyOf: [{ type: "number" }, { description: "TYPE" }] },
        many_or_none: { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
        word: { type: ["string", "null"], enum: ["x", null] },
        anything: {},
        described: { anyOf: [{ description: "d" }, { type: "null" }] },
      },
      required: ["type"],
      default: { a: { type: "KEPT" } },
    };
    const body = {
      ...helloBody,
      tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
      generationConfig: { responseMimeType: "application/json", responseSchema: parameters },
    };
    expect(decode(body)).toEqual({
      request: {
        ...hello,
        tools: [{ name: "f", parameters: expected }],
        output: { type: "json-schema", schema: expected },
      },
      warnings: [],
    });
  });

  it.each<{ config: object; reasoning: ReasoningSettings }>([
    { config: { thinkingBudget: -1 }, reasoning: {} },
    { config: { thinkingBudget: 0 }, reasoning: { budgetTokens: 0 } },
    { config: { thinkingBudget: 512, includeThoughts: false }, reasoning: { budgetTokens: 512, show: false } },
    { config: { thinkingLevel: "MINIMAL" }, reasoning: { effort: "minimal" } },
    { config: { includeThoughts: true }, reasoning: { show: true } },
  ])("reads and writes the thinking settings $config", ({ config, reasoning }) => {
    const body = { ...helloBody, generationConfig: { thinkingConfig: config } };
    expect(decode(body)).toEqual({ request: { ...hello, reasoning }, warnings: [] });
    expect(encode({ ...hello, reasoning })).toEqual({ body, warnings: [] });
  });

  it.each<{ reasoning: ReasoningSettings; config: object; fields: string[] }>([
    { reasoning: { effort: "none" }, config: { thinkingBudget: 0 }, fields: [] },
    { reasoning: { effort: "max" }, config: { thinkingLevel: "HIGH" }, fields: ["reasoning.effort"] },
    { reasoning: { effort: "own word" }, config: { thinkingBudget: -1 }, fields: ["reasoning.effort"] },
    { reasoning: { effort: "low", budgetTokens: 5 }, config: { thinkingBudget: 5 }, fields: ["reasoning.effort"] },
  ])("writes the thinking settings $reasoning as $config", ({ reasoning, config, fields }) => {
    const { body, warnings } = encode({ ...hello, reasoning });
    expect(body["generationConfig"]).toEqual({ thinkingConfig: config });
    expect(fieldsOf(warnings)).toEqual(fields);
  });

  it("finds the name of a result's tool at its call, and the media type of an image at its address", () => {
    const { body, warnings } = encode({
      model: "m",
      messages: [
        { role: "user", content: [{ type: "image", source: { type: "url", url: "https://example.com/cat.JPG?x=1" } }] },
        { role: "assistant", content: [{ type: "tool-call", callId: "c", name: "look", json: "" }] },
        { role: "tool", callId: "c", content: [] },
        {
          role: "tool",
          callId: "d",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
    });
    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ fileData: { fileUri: "https://example.com/cat.JPG?x=1", mimeType: "image/jpeg" } }] },
      { role: "model", parts: [{ functionCall: { id: "c", name: "look", args: {} } }] },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c", name: "look", response: { output: "" } } },
          { functionResponse: { id: "d", name: "d", response: { output: "a\nb" } } },
        ],
      },
    ]);
    expect(fieldsOf(warnings)).toEqual([
      "messages[0].content[0].mediaType",
      "messages[3].content[1]",
      "messages[3].name",
    ]);
  });

  it.each([
    {
      body: { safetySettings: [], store: true, generationConfig: { candidateCount: 1, responseModalities: ["TEXT"] } },
      fields: [],
    },
    {
      body: { generationConfig: { candidateCount: 2, responseLogprobs: true, responseModalities: ["IMAGE"] } },
      fields: [
        "generationConfig.candidateCount",
        "generationConfig.responseLogprobs",
        "generationConfig.responseModalities",
      ],
    },
    { body: { generationConfig: { responseMimeType: "text/x.enum" } }, fields: ["generationConfig.responseMimeType"] },
    {
      body: {
        generationConfig: { responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a", "b"] } },
      },
      fields: ["generationConfig.responseMimeType"],
    },
    { body: { generation_config: { candidate_count: 2 } }, fields: ["generation_config.candidate_count"] },
  ])("warns once for each thing it leaves out of $body", ({ body, fields }) => {
    expect(fieldsOf(decode({ ...helloBody, ...body }).warnings)).toEqual(fields);
  });

  it.each([
    [{}, "contents must be a list, got undefined"],
    [{ contents: [] }, "contents must not be empty, got []"],
    [
      { contents: [{ role: "assistant", parts: [] }] },
      'contents[0].role must be one of user, model, function, got "assistant"',
    ],
    [{ contents: [{ parts: [{ text: 5 }] }] }, "contents[0].parts[0].text must be a string, got 5"],
    [
      { contents: [{ role: "model", parts: [{ functionCall: { name: "f", args: [1] } }] }] },
      "contents[0].parts[0].functionCall.args must be an object, got [1]",
    ],
    [
      { contents: [{ parts: [{ functionResponse: { response: {} } }] }] },
      "contents[0].parts[0].functionResponse.name must be a string that is not empty, got undefined",
    ],
    [
      { ...helloBody, generationConfig: { maxOutputTokens: -5 } },
      "generationConfig.maxOutputTokens must be a whole number of at least 0, got -5",
    ],
    [
      { ...helloBody, cachedContent: "cachedContents/1" },
      "cachedContent must be absent, because the whole conversation has to be in the request",
    ],
    [
      { ...helloBody, generationConfig: { stopSequences: [""] } },
      'generationConfig.stopSequences[0] must be a string that is not empty, got ""',
    ],
    [
      { ...helloBody, generationConfig: { thinkingConfig: { thinkingBudget: -2 } } },
      "generationConfig.thinkingConfig.thinkingBudget must be a whole number of at least 0, got -2",
    ],
    [
      { ...helloBody, toolConfig: { functionCallingConfig: { mode: "SOME" } } },
      'toolConfig.functionCallingConfig.mode must be one of MODE_UNSPECIFIED, AUTO, ANY, NONE, VALIDATED, got "SOME"',
    ],
  ])("refuses %j: %s", (body, message) => {
    expect(() => decode(body)).toThrow(message);
  });
});
