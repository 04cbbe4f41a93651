import type { DialectName } from "./requests.ts";

/** A JSON object of which nothing is known. */
type Json = Readonly<Record<string, unknown>>;

/** Says what a provider would refuse. */
type Break = (rule: string) => void;

/** What a provider would refuse in the body of a request, by the rules that providers document or answer with. */
export function brokenRules(dialect: DialectName, body: unknown): readonly string[] {
  const broken: string[] = [];
  RULES[dialect](json(body), (rule) => void broken.push(rule));
  return broken;
}

const RULES: Readonly<Record<DialectName, (body: Json, refuse: Break) => void>> = {
  "openai-chat": chatRules,
  "openai-responses": responsesRules,
  "anthropic-messages": anthropicRules,
  gemini: geminiRules,
};

function chatRules(body: Json, refuse: Break): void {
  let open = new Set<unknown>();
  for (const message of list(body["messages"])) {
    const { role, content, tool_calls: calls, tool_call_id: id } = message;
    if (role === "tool") {
      if (!open.delete(id)) refuse("a result follows its call");
      continue;
    }
    if (open.size > 0) refuse("results follow their calls at once");
    if (content === null && list(calls).length === 0) refuse("a message has content or calls");
    if (Object.keys(message).some((key) => !["role", "content", "tool_calls"].includes(key)))
      refuse("a message has no other fields");
    for (const call of list(calls)) {
      if (Object.keys(call).some((key) => !["id", "type", "function"].includes(key)))
        refuse("a call has no other fields");
      if (!isJsonObject(json(call["function"])["arguments"])) refuse("arguments are JSON");
    }
    open = new Set(list(calls).map((call) => call["id"]));
  }
  if (open.size > 0) refuse("every call has a result");
  if (list(body["messages"]).length === 0) refuse("there are messages");
  if (body["stream_options"] !== undefined && body["stream"] !== true) refuse("only a stream has stream_options");
  toolRules(body, refuse);
}

function responsesRules(body: Json, refuse: Break): void {
  const open = new Set<unknown>();
  for (const item of list(body["input"])) {
    if (item["type"] === "function_call") {
      open.add(item["call_id"]);
      if (!isJsonObject(item["arguments"])) refuse("arguments are JSON");
    }
    if (item["type"] === "function_call_output" && !open.delete(item["call_id"])) refuse("a result follows its call");
    if (item["type"] === "reasoning") signatureRule("openai-responses", item["encrypted_content"], refuse);
    for (const part of list(item["content"])) if (isForeignFile(part["file_id"], /^file-/)) refuse("files are its own");
  }
  if (open.size > 0) refuse("every call has a result");
  if (list(body["input"]).length === 0) refuse("there is input");
  for (const tool of list(body["tools"])) {
    if (typeof tool["strict"] !== "boolean") refuse("a tool that is not strict says so");
    if (!("parameters" in tool)) refuse("a tool has parameters");
  }
  if (body["include"] !== undefined && body["reasoning"] === undefined) refuse("only a model that thinks has proofs");
  toolRules(body, refuse);
}

function toolRules(body: Json, refuse: Break): void {
  const hasSettings = body["tool_choice"] !== undefined || body["parallel_tool_calls"] !== undefined;
  if (hasSettings && list(body["tools"]).length === 0) refuse("settings for tools come with tools");
}

function anthropicRules(body: Json, refuse: Break): void {
  const messages = list(body["messages"]);
  if (messages.length === 0) refuse("there are messages");
  let called: readonly unknown[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = list(content);
    if (role === messages[index - 1]?.["role"]) refuse("roles alternate");
    if (blocks.length === 0) refuse("a message has content");
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (blocks.findLastIndex(({ type }) => type === "tool_result") !== results.length - 1) refuse("results come first");
    const answered = results.map((block) => block["tool_use_id"]);
    if (!isSameSet(called, answered)) refuse("every call has its result in the next message");
    called = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    for (const block of blocks) blockRules(block, refuse);
  }
  if (called.length > 0) refuse("every call has its result in the next message");
  for (const block of list(body["system"])) blockRules(block, refuse);
  thinkingRules(body, messages, refuse);
  const { temperature = 0, stop_sequences: stops, output_config: output } = body;
  if (Number(temperature) < 0 || Number(temperature) > 1) refuse("temperatures are from 0 to 1");
  for (const stop of Array.isArray(stops) ? stops : []) if (isBlank(stop)) refuse("stop strings have letters");
  const { schema } = json(json(output)["format"]);
  if (schema !== undefined && !isClosed(schema)) refuse("schemas are closed");
  for (const tool of list(body["tools"])) {
    if (tool["strict"] === true && !isClosed(tool["input_schema"])) refuse("schemas of strict tools are closed");
  }
}

function blockRules(block: Json, refuse: Break): void {
  const { type, text, source, content, id, tool_use_id: callId = id } = block;
  if (type === "text" && isBlank(text)) refuse("texts have letters");
  if (type === "thinking") signatureRule("anthropic-messages", block["signature"], refuse);
  if (type === "redacted_thinking") signatureRule("anthropic-messages", block["data"], refuse);
  if (typeof callId === "string" && !/^[a-zA-Z0-9_-]+$/u.test(callId)) refuse("ids have plain letters");
  if (isForeignFile(json(source)["file_id"], /^file_/)) refuse("files are its own");
  for (const inner of list(content)) blockRules(inner, refuse);
}

function thinkingRules(body: Json, messages: readonly Json[], refuse: Break): void {
  const { type, budget_tokens: budget } = json(body["thinking"]);
  if (type === undefined || type === "disabled") return;
  const { temperature = 1, top_p: topP = 1, top_k: topK, max_tokens: limit } = body;
  if (temperature !== 1 || topK !== undefined || Number(topP) < 0.95 || Number(topP) > 1) {
    refuse("a model that thinks chooses its tokens itself");
  }
  const choice = json(body["tool_choice"])["type"];
  if (choice === "any" || choice === "tool") refuse("a model that thinks is free to call");
  if (type !== "enabled") return;
  if (Number(budget) < 1024 || Number(budget) >= Number(limit)) refuse("a budget is within bounds");
  const hasResults = list(messages.at(-1)?.["content"]).some((block) => block["type"] === "tool_result");
  const [first] = list((hasResults ? messages.at(-2) : undefined)?.["content"]);
  if (first !== undefined && !/thinking/u.test(String(first["type"])))
    refuse("the turn that goes on begins with thinking");
}

function geminiRules(body: Json, refuse: Break): void {
  const contents = list(body["contents"]);
  if (contents.length === 0) refuse("there are contents");
  let called: readonly unknown[] = [];
  for (const [index, content] of contents.entries()) {
    const parts = list(content["parts"]);
    if (parts.length === 0) refuse("a content has parts");
    if (content["role"] === "model" && contents[index - 1]?.["role"] === "model") refuse("turns of the model are one");
    const answered = parts.flatMap((part) =>
      isRecord(part["functionResponse"]) ? [part["functionResponse"]["id"]] : [],
    );
    if (!isSameSet(called, answered)) refuse("every call has its result in the next content");
    if (answered.length > 0 && answered.length < parts.length) refuse("results stand alone");
    called = parts.flatMap((part) => (isRecord(part["functionCall"]) ? [part["functionCall"]["id"]] : []));
    for (const part of parts) partRules(part, refuse);
  }
  if (called.length > 0) refuse("every call has its result in the next content");
  const { thinkingBudget, thinkingLevel } = json(json(body["generationConfig"])["thinkingConfig"]);
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) refuse("thinking has a budget or a level");
}

function partRules(part: Json, refuse: Break): void {
  const { text, thoughtSignature, functionResponse, fileData } = part;
  if (text === "" && thoughtSignature === undefined) refuse("texts are not empty");
  if (thoughtSignature !== undefined) signatureRule("gemini", thoughtSignature, refuse);
  if (isForeignFile(json(fileData)["fileUri"], /^files\//)) refuse("files are its own");
  for (const inner of list(json(functionResponse)["parts"])) {
    if (Object.keys(inner).some((key) => key !== "inlineData" && key !== "fileData"))
      refuse("results have plain parts");
    if (isForeignFile(json(inner["fileData"])["fileUri"], /^files\//)) refuse("files are its own");
  }
}

/** The signatures of these requests say whose they are. */
function signatureRule(dialect: DialectName, signature: unknown, refuse: Break): void {
  if (signature !== `signed by ${dialect}`) refuse("signatures are its own");
}

function isForeignFile(id: unknown, own: RegExp): boolean {
  return typeof id === "string" && id.startsWith("file") && !own.test(id);
}

function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  if (!isRecord(schema)) return true;
  return (
    (schema["type"] !== "object" || schema["additionalProperties"] === false) && Object.values(schema).every(isClosed)
  );
}

function isBlank(text: unknown): boolean {
  return typeof text !== "string" || text.trim() === "";
}

function isJsonObject(text: unknown): boolean {
  try {
    return isRecord(JSON.parse(String(text)));
  } catch {
    // No JSON is no object either.
    return false;
  }
}

function isSameSet(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function json(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(json) : [];
}
