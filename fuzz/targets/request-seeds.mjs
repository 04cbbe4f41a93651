// @ts-check

const schema = { type: "object", properties: { city: { type: "string", enum: ["a"] } }, required: ["city"] };
const image = "data:image/png;base64,iVBORw0KGgo=";

/** @param {readonly unknown[]} values */
const bodies = (...values) => values.map((value) => JSON.stringify(value));

/** Requests that say much of what can be said in each dialect. */
export const REQUEST_SEEDS = {
  "openai-chat": bodies(
    { model: "m", messages: [{ role: "user", content: "Hi" }], stream: true, stop: ["END"], max_tokens: 5 },
    {
      model: "m",
      messages: [
        { role: "system", content: "Be brief" },
        { role: "developer", content: [{ type: "text", text: "x" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "What?" },
            { type: "image_url", image_url: { url: image } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"city":"a"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "sunny" },
        { role: "assistant", content: "It is", reasoning_content: "Hm", refusal: null },
        {
          role: "user",
          content: [{ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" } }],
        },
      ],
      tools: [{ type: "function", function: { name: "f", description: "d", parameters: schema, strict: true } }],
      tool_choice: { type: "function", function: { name: "f" } },
      parallel_tool_calls: false,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 3,
      seed: 7,
      user: "u",
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "s", schema, strict: true } },
      stream_options: { include_usage: true },
      frequency_penalty: 0.1,
      presence_penalty: 0.1,
      max_completion_tokens: 9,
      logit_bias: {},
      n: 1,
    },
    {
      model: "m",
      messages: [
        { role: "user", content: "Mend it" },
        {
          role: "assistant",
          tool_calls: [{ id: "c1", type: "custom", custom: { name: "patch", input: 'a "b"' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "done" },
      ],
      tools: [
        {
          type: "custom",
          custom: {
            name: "patch",
            description: "d",
            format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /a/" } },
          },
        },
        { type: "custom", custom: { name: "run", format: { type: "text" } } },
      ],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "custom", custom: { name: "patch" } }] },
      },
    },
  ),
  "openai-responses": bodies(
    { model: "m", input: "Hi", stream: true, max_output_tokens: 5 },
    {
      model: "m",
      instructions: "Be brief",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "x" },
            { type: "input_image", image_url: image },
          ],
        },
        { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "Hm" }], encrypted_content: "e" },
        { type: "function_call", call_id: "c1", name: "f", arguments: '{"city":"a"}' },
        { type: "function_call_output", call_id: "c1", output: "sunny" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "It is", annotations: [] }] },
        { type: "web_search_call", id: "w", status: "completed" },
      ],
      tools: [{ type: "function", name: "f", parameters: schema, strict: false }, { type: "web_search" }],
      tool_choice: "required",
      reasoning: { effort: "high", summary: "auto" },
      text: { format: { type: "json_schema", name: "s", schema, strict: true } },
      temperature: 1,
      store: false,
      include: ["reasoning.encrypted_content"],
      truncation: "disabled",
    },
    {
      model: "m",
      input: [
        { role: "user", content: "Mend it" },
        { type: "custom_tool_call", call_id: "c1", name: "patch", input: 'a "b"' },
        { type: "custom_tool_call_output", call_id: "c1", output: "done" },
        { type: "custom_tool_call", call_id: "c2", name: "x_keyword_search", input: "{}" },
      ],
      tools: [
        { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "start: /a/" } },
        { type: "custom", name: "run", format: { type: "text" } },
        { type: "namespace", name: "n", tools: [{ type: "custom", name: "sql" }] },
        { type: "web_search" },
      ],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "custom", name: "patch" }] },
    },
  ),
  "anthropic-messages": bodies(
    { model: "m", max_tokens: 5, messages: [{ role: "user", content: "Hi" }], stop_sequences: ["END"] },
    {
      model: "m",
      max_tokens: 5,
      system: [{ type: "text", text: "Be brief", cache_control: { type: "ephemeral" } }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "x" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm", signature: "s" },
            { type: "redacted_thinking", data: "d" },
            { type: "tool_use", id: "t1", name: "f", input: { city: "a" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "sunny" }], is_error: true },
          ],
        },
      ],
      tools: [{ name: "f", description: "d", input_schema: schema }],
      tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
      thinking: { type: "enabled", budget_tokens: 1024 },
      temperature: 1,
      top_k: 3,
      top_p: 0.5,
      metadata: { user_id: "u" },
      stream: true,
    },
  ),
  gemini: bodies(
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }], generationConfig: { stopSequences: ["END"] } },
    {
      systemInstruction: { parts: [{ text: "Be brief" }] },
      contents: [
        { role: "user", parts: [{ text: "x" }, { inlineData: { mimeType: "image/png", data: "AA==" } }] },
        {
          role: "model",
          parts: [
            { text: "Hm", thought: true },
            { functionCall: { name: "f", args: { city: "a" } }, thoughtSignature: "s" },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "f", response: { result: "sunny" } } },
            { fileData: { fileUri: "gs://a", mimeType: "image/png" } },
          ],
        },
      ],
      tools: [
        { functionDeclarations: [{ name: "f", description: "d", parameters: { type: "OBJECT", properties: {} } }] },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
      generationConfig: {
        maxOutputTokens: 5,
        temperature: 1,
        topP: 0.5,
        topK: 3,
        seed: 7,
        responseMimeType: "application/json",
        responseJsonSchema: schema,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 100 },
      },
      safetySettings: [],
    },
  ),
};

/** Names and words of requests. */
export const REQUEST_WORDS = [
  ..."model|messages|role|user|assistant|system|developer|tool|content|type|text|image_url|url|tool_calls|id".split(
    "|",
  ),
  ..."function|name|arguments|parameters|tool_choice|auto|none|required|any|stop|max_tokens|stream|temperature".split(
    "|",
  ),
  ..."custom|format|grammar|syntax|definition|custom_tool_call|custom_tool_call_output|allowed_tools|namespace".split(
    "|",
  ),
  ..."input|instructions|input_text|output_text|function_call|function_call_output|call_id|output|reasoning".split("|"),
  ..."thinking|signature|redacted_thinking|tool_use|tool_result|tool_use_id|is_error|source|base64|media_type|data".split(
    "|",
  ),
  ..."contents|parts|functionCall|functionResponse|inlineData|generationConfig|thoughtSignature|response|args".split(
    "|",
  ),
  ..."response_format|json_schema|json_object|schema|strict|$ref|#/$defs/a|anyOf|nullable|enum|items|properties".split(
    "|",
  ),
];
