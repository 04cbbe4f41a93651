import type { GenerationRequest, OutputShape, ToolChoice, ToolDefinition } from "../../request.ts";
import type { EncodedRequest } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { writeSchema } from "../requests/openai.ts";
import { effortOf } from "../requests/reasoning.ts";
import { toolSettingsOf, warnOfManyStops, warnOfSampling } from "../requests/settings.ts";
import { unlessNone, withoutAbsent } from "../requests/values.ts";
import { createRequestWarnings } from "../requests/warnings.ts";
import { encodeMessages } from "./encode-messages.ts";

/** How many stop strings OpenAI takes. */
const MOST_STOPS = 4;

/** Writes a request as one of Chat Completions. */
export function encodeOpenaiChatRequest(request: GenerationRequest): EncodedRequest {
  const warnings = createRequestWarnings();
  const { sampling = {}, reasoning } = request;
  const { toolChoice, parallelToolCalls } = toolSettingsOf(request, warnings);
  warnOfManyStops(request.stop, MOST_STOPS, warnings);
  warnOfSampling(request, ["topK"], warnings);
  if (reasoning?.show === true) warnings.add("reasoning.show", "The dialect cannot ask to see the thinking.");
  const body = withoutAbsent({
    model: request.model,
    messages: encodeMessages(request.messages, warnings),
    stream: request.stream,
    // Without it a stream never says what it has cost.
    stream_options: request.stream === true ? { include_usage: true } : undefined,
    tools: unlessNone(request.tools?.map(encodeTool)),
    tool_choice: toolChoice === undefined ? undefined : encodeToolChoice(toolChoice),
    parallel_tool_calls: parallelToolCalls,
    reasoning_effort: effortOf(reasoning, warnings),
    stop: unlessNone(request.stop),
    max_completion_tokens: request.maxOutputTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    response_format: request.output === undefined ? undefined : encodeOutput(request.output),
    metadata: request.metadata,
    user: request.user,
  });
  return { body, warnings: warnings.all() };
}

function encodeTool({ name, description, parameters, strict }: ToolDefinition): JsonRecord {
  return { type: "function", function: withoutAbsent({ name, description, parameters, strict }) };
}

function encodeToolChoice(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

function encodeOutput(output: OutputShape): JsonRecord {
  if (output.type === "json-schema") return { type: "json_schema", json_schema: writeSchema(output) };
  return { type: output.type === "json" ? "json_object" : "text" };
}
