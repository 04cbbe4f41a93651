import type { GenerationRequest, OutputShape, ReasoningSettings, ToolDefinition } from "../../request.ts";
import type { EncodedRequest } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { toolSettingsOf, warnOfSampling } from "../requests/settings.ts";
import type { ToolSettings } from "../requests/settings.ts";
import { unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { createRequestWarnings } from "../requests/warnings.ts";
import type { RequestWarnings } from "../requests/warnings.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeThinking, limitOf } from "./encode-thinking.ts";

/** Writes a request as one of Messages. */
export function encodeAnthropicMessagesRequest(request: GenerationRequest): EncodedRequest {
  const warnings = createRequestWarnings();
  const { sampling = {}, reasoning = {}, user } = request;
  warnOfSampling(request, ["presencePenalty", "frequencyPenalty", "seed"], warnings);
  if (request.metadata !== undefined) {
    warnings.add("metadata", "The dialect has no labels but the user's name; they were left out.");
  }
  const body = withoutAbsent({
    model: request.model,
    max_tokens: limitOf(request, warnings),
    ...encodeMessages(request.messages, warnings),
    stream: request.stream,
    tools: unlessNone(request.tools?.map(encodeTool)),
    tool_choice: encodeToolChoice(toolSettingsOf(request, warnings), warnings),
    thinking: encodeThinking(request, warnings),
    output_config: unlessEmpty({
      effort: encodeEffort(reasoning, warnings),
      format: encodeOutput(request.output, warnings),
    }),
    stop_sequences: unlessNone(request.stop),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    metadata: user === undefined ? undefined : { user_id: user },
  });
  return { body, warnings: warnings.all() };
}

/** A schema has to be there, and to say that it is one of an object. */
function encodeTool({ name, description, parameters = {}, strict }: ToolDefinition): JsonRecord {
  const schema = "type" in parameters ? parameters : { type: "object", ...parameters };
  return withoutAbsent({ name, description, input_schema: schema, strict });
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

function encodeEffort({ effort, budgetTokens }: ReasoningSettings, warnings: RequestWarnings): string | undefined {
  if (effort === "none") {
    if (budgetTokens !== undefined && budgetTokens > 0) {
      warnings.add("reasoning.effort", "It contradicts the budget for thinking and was left out.");
    }
    return undefined;
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
  for (const name of ["name", "description", "strict"] as const) {
    if (output[name] !== undefined) {
      warnings.add(`output.${name}`, "The dialect knows the schema only; it was left out.");
    }
  }
  return { type: "json_schema", schema: output.schema };
}
