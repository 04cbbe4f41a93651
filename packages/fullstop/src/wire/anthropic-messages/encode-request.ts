import type { GenerationRequest, JsonObject, OutputShape, ReasoningSettings, SamplingSettings } from "../../request.ts";
import type { EncodedRequest } from "../format.ts";
import { listOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { withDistinctCallIds } from "../requests/distinct-calls.ts";
import { nativeSetting, warnOfNative, withNative } from "../requests/native.ts";
import { closeSchema } from "../requests/schemas.ts";
import { toolSettingsOf, warnOfSampling, warnOfSchemaDescription, warnOfStore } from "../requests/settings.ts";
import type { SentTool, ToolSettings } from "../requests/settings.ts";
import { PLAIN_CALL_IDS, withSpeltCallIds } from "../requests/spelt-calls.ts";
import { withSpeltCallNames } from "../requests/spelt-names.ts";
import { joinTools } from "../requests/tools.ts";
import { unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { createRequestWarnings } from "../requests/warnings.ts";
import type { RequestWarnings } from "../requests/warnings.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeThinking, isThinking, limitOf, withoutThinkingEdits } from "./encode-thinking.ts";

/** The smallest share of probability that the provider takes where the model thinks. */
const LEAST_THINKING_TOP_P = 0.95;

/** The efforts that the provider refuses where the model is told not to think. */
const THINKING_EFFORTS: ReadonlySet<string> = new Set(["xhigh", "max"]);

/** What a schema may not say where the provider holds the model to it. */
const REFUSED_BOUNDS = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "maxItems",
  "minProperties",
  "maxProperties",
]);

/** Writes a request as one of Messages. */
export function encodeAnthropicMessagesRequest(request: GenerationRequest): EncodedRequest {
  const warnings = createRequestWarnings();
  const { sampling = {}, reasoning = {}, user } = request;
  warnOfNative(request, "anthropic-messages", warnings);
  warnOfSampling(request, ["presencePenalty", "frequencyPenalty", "seed"], warnings);
  if (request.metadata !== undefined) {
    warnings.add("metadata", "The dialect has no labels but the user's name; they were left out.");
  }
  warnOfStore(request, warnings);
  const messages = withSpeltCallIds(withDistinctCallIds(withSpeltCallNames(request)), PLAIN_CALL_IDS);
  const conversation = encodeMessages(messages, warnings);
  const settings = toolSettingsOf(request, "anthropic-messages", warnings);
  const toolChoice = encodeToolChoice(settings, warnings);
  const thinking = encodeThinking(request, { messages: conversation.messages, toolChoice }, warnings);
  const tools = settings.tools.map((tool) => encodeTool(tool, warnings));
  const body = withoutAbsent({
    model: request.model,
    max_tokens: limitOf(request, warnings),
    ...conversation,
    stream: request.stream,
    tools: joinTools(tools, request, "anthropic-messages"),
    tool_choice: toolChoice,
    thinking,
    output_config: unlessEmpty({
      effort: encodeEffort(reasoning, thinking, warnings),
      format: encodeOutput(request.output, warnings),
    }),
    stop_sequences: encodeStop(request.stop ?? [], warnings),
    ...encodeSampling(sampling, isThinking(thinking), warnings),
    metadata: user === undefined ? undefined : { user_id: user },
  });
  const whole = withNative(body, thinking === undefined ? request : withoutOwnThinking(request), "anthropic-messages");
  const { betas, ...written } = withoutThinkingEdits(whole, warnings);
  return { body: written, headers: encodeBetas(betas), warnings: warnings.all() };
}

/** A request without a way to think that only this dialect has: beside other settings for thinking it would be refused. */
function withoutOwnThinking(request: GenerationRequest): GenerationRequest {
  const { native } = request;
  if (nativeSetting(request, "anthropic-messages", "thinking") === undefined || native === undefined) return request;
  const { thinking: _, ...fields } = native.fields;
  return { ...request, native: { ...native, fields } };
}

/** What is still tried out has to be asked for by name, in a header. */
function encodeBetas(betas: unknown): Readonly<Record<string, string>> | undefined {
  const names = listOf(betas).filter((name) => typeof name === "string" && name !== "");
  return names.length === 0 ? undefined : { "anthropic-beta": names.join(",") };
}

/** The provider refuses stop strings without a letter in them, such as line ends. */
function encodeStop(stop: readonly string[], warnings: RequestWarnings): readonly string[] | undefined {
  const taken = stop.filter((text, index) => {
    const isTaken = text.trim() !== "";
    if (!isTaken) warnings.add(`stop[${index}]`, "The dialect takes no stop string of white space; it was left out.");
    return isTaken;
  });
  return unlessNone(taken);
}

/** A model that thinks chooses its tokens itself, but for the defaults and what comes near them. */
function encodeSampling(sampling: SamplingSettings, thinks: boolean, warnings: RequestWarnings): JsonRecord {
  const { temperature, topP, topK } = sampling;
  const unlessThinking = (name: string, value: number | undefined, isTaken: boolean): number | undefined => {
    if (value === undefined || !thinks || isTaken) return value;
    warnings.add(`sampling.${name}`, "The dialect does not take it where the model thinks; it was left out.");
    return undefined;
  };
  return {
    temperature: clampTemperature(unlessThinking("temperature", temperature, temperature === 1), warnings),
    top_p: unlessThinking("topP", topP, topP !== undefined && topP >= LEAST_THINKING_TOP_P && topP <= 1),
    top_k: unlessThinking("topK", topK, false),
  };
}

function clampTemperature(temperature: number | undefined, warnings: RequestWarnings): number | undefined {
  const clamped = temperature === undefined ? undefined : Math.min(Math.max(temperature, 0), 1);
  if (clamped !== temperature) {
    warnings.add("sampling.temperature", `The dialect takes temperatures from 0 to 1; it became ${clamped}.`);
  }
  return clamped;
}

/** A schema has to be there, and to say that it is one of an object. */
function encodeTool({ tool, path }: SentTool, warnings: RequestWarnings): JsonRecord {
  const { name, description, parameters = {}, strict } = tool;
  const schema = "type" in parameters ? parameters : { type: "object", ...parameters };
  const written = withoutAbsent({
    name,
    description,
    input_schema: strict === true ? encodeSchema(schema, `${path}.parameters`, warnings) : schema,
    strict,
  });
  return withNative(written, tool, "anthropic-messages");
}

/** Where the provider holds a model to a schema, its objects have to be closed, and most bounds are refused. */
function encodeSchema(open: JsonObject, path: string, warnings: RequestWarnings): JsonObject {
  const { schema, isChanged } = closeSchema(open, isRefusedBound);
  if (isChanged) {
    warnings.add(path, "The dialect wants closed objects without bounds: they were closed, and bounds only described.");
  }
  return schema;
}

function isRefusedBound(keyword: string, value: unknown): boolean {
  return REFUSED_BOUNDS.has(keyword) || (keyword === "minItems" && value !== 0 && value !== 1);
}

/** Whether calls may be parallel is part of the choice, so that a choice is written also where none was made. */
function encodeToolChoice(settings: ToolSettings, warnings: RequestWarnings): JsonRecord | undefined {
  const { toolChoice, parallelToolCalls } = settings;
  if (toolChoice === "none") {
    if (parallelToolCalls !== undefined) {
      warnings.add("parallelToolCalls", "It says nothing where no tool may be called and was left out.");
    }
    return { type: "none" };
  }
  if (toolChoice === undefined && parallelToolCalls === undefined) return undefined;
  return withoutAbsent({
    ...encodeChoice(toolChoice ?? "auto"),
    disable_parallel_tool_use: parallelToolCalls === undefined ? undefined : !parallelToolCalls,
  });
}

function encodeChoice(choice: "auto" | "required" | { readonly name: string }): JsonRecord {
  if (typeof choice === "object") return { type: "tool", name: choice.name };
  return { type: choice === "required" ? "any" : "auto" };
}

function encodeEffort(
  { effort, budgetTokens }: ReasoningSettings,
  thinking: JsonRecord | undefined,
  warnings: RequestWarnings,
): string | undefined {
  if (effort === "none") {
    if (budgetTokens !== undefined && budgetTokens > 0) {
      warnings.add("reasoning.effort", "It contradicts the budget for thinking and was left out.");
    }
    return undefined;
  }
  // Whoever has asked for both hears from the provider what it makes of that.
  const isKept = thinking?.["type"] !== "disabled" || budgetTokens === 0;
  if (effort !== undefined && THINKING_EFFORTS.has(effort) && !isKept) {
    warnings.add("reasoning.effort", 'The dialect takes it only where the model may think; it became "high".');
    return "high";
  }
  if (effort !== "minimal") return effort;
  warnings.add("reasoning.effort", 'The dialect has no such effort; it became "low".');
  return "low";
}

function encodeOutput(output: OutputShape | undefined, warnings: RequestWarnings): JsonRecord | undefined {
  if (output === undefined || output.type === "text") return undefined;
  if (output.type === "json") {
    warnings.add("output", "The dialect cannot ask for JSON without a schema; it was left out.");
    return undefined;
  }
  warnOfSchemaDescription(output, warnings);
  return { type: "json_schema", schema: encodeSchema(output.schema, "output.schema", warnings) };
}
