import type { GenerationRequest, OutputShape, ReasoningSettings } from "../../request.ts";
import type { EncodedRequest } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { withDistinctCallIds } from "../requests/distinct-calls.ts";
import { effortOf } from "../requests/reasoning.ts";
import { warnOfNative } from "../requests/native.ts";
import { toolSettingsOf, warnOfSchemaDescription, warnOfStore } from "../requests/settings.ts";
import type { SentTool } from "../requests/settings.ts";
import { unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { createRequestWarnings } from "../requests/warnings.ts";
import type { RequestWarnings } from "../requests/warnings.ts";
import { encodeMessages } from "./encode-messages.ts";

/** The efforts that Ollama has words for, and those that come nearest to others. It refuses any other word. */
const LEVELS: ReadonlySet<string> = new Set(["low", "medium", "high"]);
const NEAREST_LEVELS: ReadonlyMap<string, string> = new Map([
  ["minimal", "low"],
  ["xhigh", "high"],
  ["max", "high"],
]);

/** What a function takes of which nobody has said what it takes: Ollama makes a broken schema of nothing. */
const NO_PARAMETERS: JsonRecord = { type: "object", properties: {} };

/** Writes a request as one of Ollama's chat route. */
export function encodeOllamaChatRequest(request: GenerationRequest): EncodedRequest {
  const warnings = createRequestWarnings();
  const { sampling = {}, output } = request;
  for (const name of ["metadata", "user"] as const) {
    if (request[name] !== undefined) warnings.add(name, "The dialect has no such setting; it was left out.");
  }
  warnOfNative(request, "ollama-chat", warnings);
  warnOfStore(request, warnings);
  const body = withoutAbsent({
    model: request.model,
    messages: encodeMessages(withDistinctCallIds(request.messages), warnings),
    // Without a word about it Ollama streams, unlike everybody else.
    stream: request.stream ?? false,
    tools: encodeTools(request, warnings),
    think: encodeReasoning(request.reasoning, warnings),
    format: output === undefined ? undefined : encodeOutput(output, warnings),
    options: unlessEmpty({
      num_predict: request.maxOutputTokens,
      stop: unlessNone(request.stop),
      temperature: sampling.temperature,
      top_p: sampling.topP,
      top_k: sampling.topK,
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      seed: sampling.seed,
    }),
  });
  return { body, warnings: warnings.all() };
}

/** The dialect has no choice of tools: what is not to be called is not sent. That one is called cannot be asked for. */
function encodeTools(request: GenerationRequest, warnings: RequestWarnings): readonly JsonRecord[] | undefined {
  const { tools, toolChoice, parallelToolCalls } = toolSettingsOf(request, "ollama-chat", warnings);
  if (parallelToolCalls !== undefined) {
    warnings.add("parallelToolCalls", "The dialect has no such setting; it was left out.");
  }
  if (toolChoice === "none") {
    warnings.add("toolChoice", "The dialect has no such setting; the tools were left out, so that none is called.");
    return undefined;
  }
  if (toolChoice !== undefined && toolChoice !== "auto") {
    warnings.add("toolChoice", "The dialect leaves it to the model whether it calls a tool; it was left out.");
  }
  const named = typeof toolChoice === "object" && "name" in toolChoice ? toolChoice.name : undefined;
  const callable = named === undefined ? tools : tools.filter(({ tool }) => tool.name === named);
  return unlessNone(callable.map((tool) => encodeTool(tool, warnings)));
}

function encodeTool({ tool, path }: SentTool, warnings: RequestWarnings): JsonRecord {
  const { name, description, parameters = NO_PARAMETERS, strict } = tool;
  if (strict === true) warnings.add(`${path}.strict`, "The dialect has no such setting; it was left out.");
  return { type: "function", function: withoutAbsent({ name, description, parameters }) };
}

/** Whether to think, or how much. A model that knows no levels takes any of them for yes. */
function encodeReasoning(
  reasoning: ReasoningSettings | undefined,
  warnings: RequestWarnings,
): boolean | string | undefined {
  if (reasoning?.show === false) {
    warnings.add("reasoning.show", "The dialect cannot ask for thinking that is not shown; it was left out.");
  }
  const effort = effortOf(reasoning, warnings);
  if (effort === undefined) return reasoning?.show === true ? true : undefined;
  if (effort === "none") return false;
  if (LEVELS.has(effort)) return effort;
  const nearest = NEAREST_LEVELS.get(effort) ?? true;
  const outcome = nearest === true ? "the model decides how much" : `it became "${nearest}"`;
  warnings.add("reasoning.effort", `The dialect has no such effort; ${outcome}.`);
  return nearest;
}

function encodeOutput(output: OutputShape, warnings: RequestWarnings): unknown {
  if (output.type === "text") return undefined;
  if (output.type === "json") return "json";
  warnOfSchemaDescription(output, warnings);
  return output.schema;
}
