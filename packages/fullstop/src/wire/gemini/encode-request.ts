import type { AllowedTools, GenerationRequest, OutputShape, ReasoningSettings } from "../../request.ts";
import type { EncodedRequest } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { withDistinctCallIds } from "../requests/distinct-calls.ts";
import { warnOfNative, withNative } from "../requests/native.ts";
import { toolSettingsOf, warnOfManyStops, warnOfSchemaDescription } from "../requests/settings.ts";
import type { SentTool, ToolSettings } from "../requests/settings.ts";
import { withSpeltCallNames } from "../requests/spelt-names.ts";
import { unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { createRequestWarnings } from "../requests/warnings.ts";
import type { RequestWarnings } from "../requests/warnings.ts";
import { isValidated, withoutIdleChoice } from "./calling-mode.ts";
import { findResumption } from "./continuation.ts";
import { encodeMessages } from "./encode-messages.ts";
import { markUnsignedCalls } from "./unsigned-calls.ts";

/** How many stop strings the provider takes. */
const MOST_STOPS = 5;

/** The budget that leaves it to the model how much to think. */
const AUTOMATIC_BUDGET = -1;

/** What the provider takes for a label. */
const LABEL_NAME = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u;
const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u;

/** The provider's levels of thinking, and those that come nearest to other efforts. */
const LEVELS: ReadonlyMap<string, string> = new Map([
  ["minimal", "MINIMAL"],
  ["low", "LOW"],
  ["medium", "MEDIUM"],
  ["high", "HIGH"],
]);
const NEAREST_LEVELS: ReadonlyMap<string, string> = new Map([
  ["xhigh", "HIGH"],
  ["max", "HIGH"],
]);

/** What the mode is called in which the model is free to call. */
type FreeMode = "AUTO" | "VALIDATED";

/** Writes a request as one of Gemini. The model, and whether it is a stream, belong in the address. */
export function encodeGeminiRequest(request: GenerationRequest): EncodedRequest {
  const warnings = createRequestWarnings();
  const { sampling = {}, reasoning, output } = request;
  const free = isValidated(request) ? "VALIDATED" : "AUTO";
  const settings = toolSettingsOf(request, "gemini", warnings, {
    tellsSome: (choice) => takesNames(choice, free),
  });
  warnOfNative(request, "gemini", warnings);
  warnOfManyStops(request.stop, MOST_STOPS, warnings);
  if (settings.parallelToolCalls !== undefined) {
    warnings.add("parallelToolCalls", "The dialect has no such setting; it was left out.");
  }
  if (request.user !== undefined) warnings.add("user", "The dialect has no such setting; it was left out.");
  const { messages, token } = findResumption(withSpeltCallNames(request));
  const { systemInstruction, contents } = encodeMessages(withDistinctCallIds(messages), warnings);
  const declarations = unlessNone(settings.tools.map((tool) => encodeTool(tool, warnings)));
  const body = withoutAbsent({
    systemInstruction,
    contents: markUnsignedCalls(contents, request.model),
    continuationToken: token,
    tools: declarations === undefined ? undefined : [{ functionDeclarations: declarations }],
    toolConfig: encodeToolChoice(settings, free),
    generationConfig: unlessEmpty({
      ...sampling,
      maxOutputTokens: request.maxOutputTokens,
      stopSequences: unlessNone(request.stop),
      thinkingConfig: reasoning === undefined ? undefined : encodeReasoning(reasoning, warnings),
      ...(output === undefined ? {} : encodeOutput(output, warnings)),
    }),
    labels: encodeLabels(request.metadata ?? {}, warnings),
    store: request.store,
  });
  return { body: withoutIdleChoice(withNative(body, request, "gemini")), warnings: warnings.all() };
}

function encodeTool({ tool, path }: SentTool, warnings: RequestWarnings): JsonRecord {
  const { name, description, parameters, strict } = tool;
  // Only what is asked for is lost: no schema binds the model here anyway.
  if (strict === true) {
    warnings.add(`${path}.strict`, "The dialect has no such setting; it was left out.");
  }
  return withNative(withoutAbsent({ name, description, parametersJsonSchema: parameters }), tool, "gemini");
}

/** Names are taken where a call has to be made or is held to its schema, and an empty list of them stands for all. */
function takesNames({ allowed, mode }: AllowedTools, free: FreeMode): boolean {
  return allowed.length > 0 && (mode === "required" || free === "VALIDATED");
}

function encodeToolChoice({ toolChoice, allowed }: ToolSettings, free: FreeMode): JsonRecord | undefined {
  if (toolChoice === undefined) return undefined;
  const config =
    typeof toolChoice === "object"
      ? { mode: "ANY", allowedFunctionNames: [toolChoice.name] }
      : withoutAbsent({ mode: encodeMode(toolChoice, free), allowedFunctionNames: allowed });
  return { functionCallingConfig: config };
}

function encodeMode(mode: "auto" | "none" | "required", free: FreeMode): string {
  if (mode === "auto") return free;
  return mode === "required" ? "ANY" : "NONE";
}

/** A level and a budget together are refused. The budget is the one that every model understands. */
function encodeReasoning(reasoning: ReasoningSettings, warnings: RequestWarnings): JsonRecord {
  const { effort, budgetTokens, show } = reasoning;
  const settings = { includeThoughts: show };
  if (budgetTokens !== undefined) {
    const isSame = effort === "none" && budgetTokens === 0;
    if (effort !== undefined && !isSame) {
      warnings.add("reasoning.effort", "The dialect takes an effort or a budget; the effort was left out.");
    }
    return withoutAbsent({ thinkingBudget: budgetTokens, ...settings });
  }
  if (effort === "none") return withoutAbsent({ thinkingBudget: 0, ...settings });
  const level = effort === undefined ? undefined : encodeEffort(effort, warnings);
  const isAutomatic = level === undefined && show === undefined;
  return withoutAbsent({
    thinkingBudget: isAutomatic ? AUTOMATIC_BUDGET : undefined,
    thinkingLevel: level,
    ...settings,
  });
}

function encodeEffort(effort: string, warnings: RequestWarnings): string | undefined {
  const level = LEVELS.get(effort);
  if (level !== undefined) return level;
  const nearest = NEAREST_LEVELS.get(effort);
  const outcome = nearest === undefined ? "it was left out" : `it became ${nearest}`;
  warnings.add("reasoning.effort", `The dialect has no such effort; ${outcome}.`);
  return nearest;
}

function encodeOutput(output: OutputShape, warnings: RequestWarnings): JsonRecord {
  if (output.type === "text") return { responseMimeType: "text/plain" };
  if (output.type === "json") return { responseMimeType: "application/json" };
  warnOfSchemaDescription(output, warnings);
  return { responseMimeType: "application/json", responseJsonSchema: output.schema };
}

function encodeLabels(metadata: Readonly<Record<string, string>>, warnings: RequestWarnings): JsonRecord | undefined {
  const entries = Object.entries(metadata).filter(([name, value]) => {
    const isLabel = LABEL_NAME.test(name) && LABEL_VALUE.test(value);
    if (!isLabel) warnings.add(`metadata.${name}`, "The provider does not take it for a label; it was left out.");
    return isLabel;
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
