import type { GenerationRequest } from "fullstop";
import { callableTools } from "fullstop/engines";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";

/**
 * Refuses what a model on this machine would refuse once it is asked. By then there would be a generation, with an id
 * and a place in the history, of a request that could never have been answered.
 */
export function checkForLocal(request: GenerationRequest): void {
  const { sampling = {}, output } = request;
  const { tools, toolChoice } = callableTools(request);
  const { topK, seed } = sampling;
  for (const [param, count] of Object.entries({ topK, seed })) {
    if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) continue;
    throw refusal(param, `${param} must be a whole number of at least 0 for a local model, got ${quoteValue(count)}`);
  }
  const isNamed = typeof toolChoice === "object";
  if (tools.length === 0 && (toolChoice === "required" || isNamed)) {
    throw refusal("toolChoice", "The request asks for a tool call, and has no tools");
  }
  if (isNamed && !tools.some(({ name }) => name === toolChoice.name)) {
    const names = tools.map(({ name }) => name).join(", ");
    throw refusal("toolChoice", `There is no tool ${quoteValue(toolChoice.name)} to be called; the tools are ${names}`);
  }
  if (tools.length > 0 && toolChoice !== "none" && output !== undefined && output.type !== "text") {
    throw refusal("output", "A local model takes either tools or an output shape in one request, not both");
  }
}

function refusal(param: string, message: string): RequestError {
  return new RequestError("invalid_request", message, { param });
}
