import type { GenerationRequest, OutputShape, ReasoningSettings, ToolChoice, ToolDefinition } from "../../request.ts";
import type { DecodedRequest, RequestTarget } from "../format.ts";
import { recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { readNative, readNativeSettings } from "../requests/native.ts";
import { createRequestReader } from "../requests/reader.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readModel, readStopStrings, refuseStoredConversation } from "../requests/settings.ts";
import { divideTools } from "../requests/tools.ts";
import { leaveOutType, unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { decodeMessages } from "./decode-messages.ts";

/** What a request says that holds anyway. */
const DEFAULTS = { service_tier: "auto", speed: "standard" } as const;

/** The ways to think that other dialects have as well. */
const COMMON_THINKING: ReadonlySet<string> = new Set(["enabled", "disabled", "adaptive"]);

/** Visible characters of ASCII, but for the comma, which stands between two names. */
const BETA = /^[!-+\--~]+$/u;

/** Reads a Messages request. */
export function decodeAnthropicMessagesRequest(body: unknown, target: RequestTarget = {}): DecodedRequest {
  const reader = createRequestReader(body);
  const root = reader.body;
  refuseStoredConversation(root, ["thread"]);
  root.ignoreDefaults(DEFAULTS);
  const outputConfig = root.field("output_config")?.object();
  const thinking = root.field("thinking");
  const ownThinking = thinking === undefined ? undefined : takeOwnThinking(thinking);
  const { own, others } = divideTools(root.field("tools")?.list() ?? [], { isCallable: isCustom, read: decodeTool });
  const request = {
    model: readModel(root, target),
    messages: decodeMessages(root.value("messages"), root.field("system")),
    stream: root.field("stream")?.flag() ?? target.stream,
    tools: unlessNone(own),
    ...decodeToolChoice(root.field("tool_choice")?.kind()),
    reasoning: decodeReasoning(ownThinking === undefined ? thinking?.kind() : undefined, outputConfig?.field("effort")),
    stop: readStopStrings(root.field("stop_sequences")),
    maxOutputTokens: root.value("max_tokens").count(),
    // The newest models refuse these, and the newest SDKs no longer name them; all the others still take them.
    sampling: unlessEmpty({
      temperature: root.field("temperature")?.amount(),
      topP: root.field("top_p")?.share(),
      topK: root.field("top_k")?.number(),
    }),
    // The deprecated name, which older SDKs send, says the same.
    output: decodeOutput((outputConfig?.field("format") ?? root.field("output_format"))?.kind()),
    user: root.field("metadata")?.object().field("user_id")?.string(),
  };
  const native = readNativeSettings(root, "anthropic-messages", {
    more: {
      tools: unlessNone(others),
      betas: unlessNone(decodeBetas(root.field("betas"), target)),
      thinking: ownThinking,
    },
  });
  return { request: withoutAbsent<GenerationRequest>({ ...request, ...native }), warnings: reader.finish() };
}

/** The names of what is still tried out, from the header, and from the body as the provider's client takes them. */
function decodeBetas(betas: BodyValue | undefined, target: RequestTarget): readonly string[] {
  const said = (betas?.list() ?? []).map((item) => {
    if (!BETA.test(item.string())) throw item.refuse("must be a name that can stand in a header");
    return item.string();
  });
  return [...new Set([...(target.betas ?? []), ...said])];
}

/** Tools of the caller's own have no type or the type `custom`. */
function isCustom(type: unknown): boolean {
  return type === undefined || type === null || type === "custom";
}

function decodeTool(tool: BodyObject): ToolDefinition {
  tool.ignore("type");
  return withoutAbsent({
    name: tool.value("name").name(),
    description: tool.field("description")?.string(),
    parameters: tool.value("input_schema").json(),
    strict: tool.field("strict")?.flag(),
    ...readNative(tool, "anthropic-messages"),
  });
}

function decodeToolChoice(choice: BodyObject | undefined): Pick<GenerationRequest, "toolChoice" | "parallelToolCalls"> {
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

/** A way to think that no other dialect has, such as between calls of tools only, is for the provider as it stands. */
function takeOwnThinking(thinking: BodyValue): JsonRecord | undefined {
  const { type } = recordOf(thinking.raw);
  return typeof type !== "string" || COMMON_THINKING.has(type) ? undefined : thinking.json();
}

/** Thinking of which nothing else is said is left to the model, which is what empty settings mean. */
function decodeReasoning(
  thinking: BodyObject | undefined,
  effort: BodyValue | undefined,
): ReasoningSettings | undefined {
  // The effort is for all that the model does, and does not make it think.
  if (thinking === undefined) return effort === undefined ? undefined : { effort: effort.name(), effortOnly: true };
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
  if (type === "enabled") return thinking.value("budget_tokens").count();
  return type === "disabled" ? 0 : undefined;
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
