import type { GenerationRequest, OutputShape, ReasoningSettings, ToolChoice, ToolDefinition } from "../../request.ts";
import type { DecodedRequest, RequestTarget } from "../format.ts";
import { createRequestReader } from "../requests/reader.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readModel, readStopStrings } from "../requests/settings.ts";
import type { ToolSettings } from "../requests/settings.ts";
import { leaveOutType, unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { decodeMessages } from "./decode-messages.ts";

/** What a request says that holds anyway. */
const DEFAULTS = { service_tier: "auto", speed: "standard" } as const;

/** Reads a Messages request. */
export function decodeAnthropicMessagesRequest(body: unknown, target: RequestTarget = {}): DecodedRequest {
  const reader = createRequestReader(body);
  const root = reader.body;
  root.ignoreDefaults(DEFAULTS);
  const outputConfig = root.field("output_config")?.object();
  const request: GenerationRequest = withoutAbsent({
    model: readModel(root, target),
    messages: decodeMessages(root.value("messages"), root.field("system")),
    stream: root.field("stream")?.flag() ?? target.stream,
    tools: decodeTools(root.field("tools")),
    ...decodeToolChoice(root.field("tool_choice")?.object()),
    reasoning: decodeReasoning(root.field("thinking")?.object(), outputConfig?.field("effort")),
    stop: readStopStrings(root.field("stop_sequences")),
    maxOutputTokens: root.value("max_tokens").count(),
    // The newest models refuse these, and the newest SDKs no longer name them; all the others still take them.
    sampling: unlessEmpty({
      temperature: root.field("temperature")?.amount(),
      topP: root.field("top_p")?.share(),
      topK: root.field("top_k")?.number(),
    }),
    output: decodeOutput(outputConfig?.field("format")?.object()),
    user: root.field("metadata")?.object().field("user_id")?.string(),
  });
  return { request, warnings: reader.finish() };
}

/** Tools of the caller's own have no type or the type `custom`; all others are run by the provider. */
function decodeTools(tools: BodyValue | undefined): readonly ToolDefinition[] | undefined {
  const functions = (tools?.list() ?? []).flatMap((item): readonly ToolDefinition[] => {
    const tool = item.object();
    const type = tool.field("type")?.string() ?? "custom";
    if (type === "custom") return [decodeTool(tool)];
    leaveOutType(tool, type);
    return [];
  });
  return unlessNone(functions);
}

function decodeTool(tool: BodyObject): ToolDefinition {
  return withoutAbsent({
    name: tool.value("name").name(),
    description: tool.field("description")?.string(),
    parameters: tool.value("input_schema").json(),
    strict: tool.field("strict")?.flag(),
  });
}

function decodeToolChoice(choice: BodyObject | undefined): ToolSettings {
  if (choice === undefined) return {};
  const oneByOne = choice.field("disable_parallel_tool_use")?.flag();
  return withoutAbsent({
    toolChoice: decodeChoice(choice),
    parallelToolCalls: oneByOne === undefined ? undefined : !oneByOne,
  });
}

function decodeChoice(choice: BodyObject): ToolChoice {
  const type = choice.value("type").word(["auto", "any", "tool", "none"]);
  if (type === "tool") return { name: choice.value("name").name() };
  return type === "any" ? "required" : type;
}

/** Thinking of which nothing else is said is left to the model, which is what empty settings mean. */
function decodeReasoning(
  thinking: BodyObject | undefined,
  effort: BodyValue | undefined,
): ReasoningSettings | undefined {
  if (thinking === undefined) return unlessEmpty({ effort: effort?.name() });
  const budgetTokens = decodeBudget(thinking);
  // The models that take a budget show their thinking unless told otherwise; with the others it depends on the model.
  const isShown = budgetTokens !== undefined && budgetTokens > 0 ? true : undefined;
  return withoutAbsent({
    effort: effort?.name(),
    budgetTokens,
    show: decodeDisplay(thinking.field("display")) ?? isShown,
  });
}

function decodeBudget(thinking: BodyObject): number | undefined {
  const type = thinking.value("type").string();
  switch (type) {
    case "enabled":
      return thinking.value("budget_tokens").count();
    case "disabled":
      return 0;
    case "adaptive":
      return undefined;
    default:
      return leaveOutType(thinking, type);
  }
}

function decodeDisplay(display: BodyValue | undefined): boolean | undefined {
  return display === undefined ? undefined : display.word(["summarized", "omitted"]) === "summarized";
}

function decodeOutput(format: BodyObject | undefined): OutputShape | undefined {
  if (format === undefined) return undefined;
  const type = format.value("type").string();
  if (type !== "json_schema") return leaveOutType(format, type);
  return { type: "json-schema", schema: format.value("schema").json() };
}
