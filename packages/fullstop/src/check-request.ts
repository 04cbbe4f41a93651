import { checkCount, checkFlag, checkFunction, checkNames } from "./check.ts";
import { checkMessages, isNative, isObject, NATIVE_RULE } from "./check-message.ts";
import { FullstopError, invalidArgument } from "./errors.ts";
import type { GenerationRequest } from "./request.ts";
import { ANY_NAMES, MEANT } from "./request-names.ts";
import type { Names, RequestNames } from "./request-names.ts";

/**
 * Refuses a request that is none, and a field that nobody reads: a limit that is misspelt would be a limit that silently
 * does nothing. It looks at what programs get wrong; what a value means to a model is for its provider to judge.
 */
export function checkRequest(request: GenerationRequest, names: RequestNames = ANY_NAMES): void {
  checkFields("request", request, names.request);
  const { model, messages, stop, sampling, reasoning, tools, toolChoice, output, user, metadata, native } = request;
  if (typeof model !== "string" || model === "") {
    throw invalidArgument("request model", "must be the name of a model", model);
  }
  if (!Array.isArray(messages)) throw invalidArgument("request messages", "must be a list", messages);
  checkMessages("request messages", messages);
  checkCount("request maxOutputTokens", request.maxOutputTokens, 0);
  for (const name of FLAGS) if (request[name] !== undefined) checkFlag(`request ${name}`, request[name]);
  if (stop !== undefined) checkStop(stop);
  if (sampling !== undefined) checkSamplingFields(sampling, names.sampling);
  if (reasoning !== undefined) checkReasoningFields(reasoning, names.reasoning);
  if (tools !== undefined) checkTools(tools);
  if (toolChoice !== undefined) checkToolChoice(toolChoice);
  if (output !== undefined) checkOutput(output);
  if (user !== undefined && typeof user !== "string") throw invalidArgument("request user", "must be a string", user);
  if (metadata !== undefined && !isObject(metadata)) {
    throw invalidArgument("request metadata", "must be an object of strings", metadata);
  }
  checkNative("request native", native);
  if ("rules" in request && request.rules !== undefined && !isObject(request.rules)) {
    throw invalidArgument("request rules", "must be an object", request.rules);
  }
  if ("onWarning" in request) checkFunction("request onWarning", request.onWarning);
}

const FLAGS = ["stream", "parallelToolCalls", "store", "streamUsage"] as const;

function checkStop(stop: readonly string[]): void {
  if (!Array.isArray(stop)) throw invalidArgument("request stop", "must be a list of strings", stop);
  for (const text of stop) {
    if (typeof text !== "string" || text === "") {
      throw invalidArgument("request stop", "must hold strings that are not empty", text);
    }
  }
}

function checkSamplingFields(sampling: object, names: Names): void {
  checkFields("request sampling", sampling, names);
  for (const [name, value] of Object.entries(sampling)) {
    if (value === undefined || Number.isFinite(value)) continue;
    throw invalidArgument(`request sampling ${name}`, "must be a number", value);
  }
}

function checkReasoningFields(reasoning: NonNullable<GenerationRequest["reasoning"]>, names: Names): void {
  checkFields("request reasoning", reasoning, names);
  const { effort, budgetTokens, show, effortOnly } = reasoning;
  checkCount("request reasoning budgetTokens", budgetTokens, 0);
  checkFlag("request reasoning show", show);
  checkFlag("request reasoning effortOnly", effortOnly);
  if (effort !== undefined && typeof effort !== "string") {
    throw invalidArgument("request reasoning effort", "must be a string", effort);
  }
}

function checkTools(tools: NonNullable<GenerationRequest["tools"]>): void {
  if (!Array.isArray(tools)) throw invalidArgument("request tools", "must be a list", tools);
  for (const tool of tools) {
    if (!isObject(tool) || typeof tool["name"] !== "string" || tool["name"] === "") {
      throw invalidArgument("request tools", "must hold tools, each with a name", tool);
    }
    checkToolParameters(`request tool ${tool["name"]}`, tool["parameters"]);
    checkTextInput(`request tool ${tool["name"]} textInput`, tool["textInput"]);
    checkNative(`request tool ${tool["name"]} native`, tool["native"]);
  }
}

function checkNative(name: string, native: unknown): void {
  if (!isNative(native)) throw invalidArgument(name, NATIVE_RULE, native);
}

/** Refuses parameters of a tool that are no JSON Schema; absent ones pass. */
export function checkToolParameters(tool: string, parameters: unknown): void {
  if (parameters === undefined || isObject(parameters)) return;
  throw invalidArgument(
    `${tool} parameters`,
    'must be a JSON Schema, such as { type: "object", properties }',
    parameters,
  );
}

/** Refuses what is no description of text that a tool takes; where there is none it takes arguments. */
export function checkTextInput(name: string, textInput: unknown): void {
  if (textInput === undefined || (isObject(textInput) && isGrammar(textInput["grammar"]))) return;
  throw invalidArgument(name, "must be {} for any text, or { grammar: { syntax, definition } }", textInput);
}

/** Whether a value can be a grammar, or there is none. */
function isGrammar(grammar: unknown): boolean {
  if (grammar === undefined) return true;
  return isObject(grammar) && typeof grammar["syntax"] === "string" && typeof grammar["definition"] === "string";
}

function checkToolChoice(choice: NonNullable<GenerationRequest["toolChoice"]>): void {
  if (choice === "auto" || choice === "none" || choice === "required") return;
  const { name, allowed, mode }: Readonly<Record<string, unknown>> = isObject(choice) ? choice : {};
  const isList = Array.isArray(allowed) && allowed.every((item) => typeof item === "string");
  if (typeof name === "string" || (isList && (mode === "auto" || mode === "required"))) return;
  throw invalidArgument(
    "request toolChoice",
    "must be auto, none, required, { name } or { allowed, mode }, a list of names with auto or required",
    choice,
  );
}

function checkOutput(output: unknown): void {
  const { type, schema } = isObject(output) ? output : {};
  if (type === "text" || type === "json") return;
  if (type !== "json-schema") {
    throw invalidArgument("request output", "must have a type, one of text, json, json-schema", output);
  }
  if (!isObject(schema)) {
    throw invalidArgument("request output schema", "must be a JSON Schema", schema);
  }
}

function checkFields(where: string, fields: object, names: Names): void {
  if (!isObject(fields)) throw invalidArgument(where, "must be an object", fields);
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(names, name)) continue;
    if (!Object.hasOwn(MEANT, name)) checkNames(where, fields, names);
    throw new FullstopError("invalid_argument", `${where} has no ${JSON.stringify(name)}; use ${MEANT[name]}`);
  }
}
