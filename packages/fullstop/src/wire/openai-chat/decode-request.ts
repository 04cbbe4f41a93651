import type { GenerationRequest, ToolChoice, ToolDefinition } from "../../request.ts";
import type { DecodedRequest, RequestTarget } from "../format.ts";
import { readFunction, readOutput, readToolChoice, readUser } from "../requests/openai.ts";
import { readNative, readNativeItems, readNativeSettings } from "../requests/native.ts";
import { createRequestReader } from "../requests/reader.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readLabels, readModel, readStop } from "../requests/settings.ts";
import { readTextTool } from "../requests/text-tools.ts";
import { divideTools } from "../requests/tools.ts";
import { unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { decodeMessages } from "./decode-messages.ts";

/** What a request says that holds anyway. */
const DEFAULTS = {
  n: 1,
  logprobs: false,
  top_logprobs: 0,
  modalities: ["text"],
  service_tier: "auto",
  verbosity: "medium",
} as const;

/** What is not handed on: more answers than one, and such as are of another kind than text. */
const REFUSED: ReadonlySet<string> = new Set(["n", "best_of", "logprobs", "top_logprobs", "modalities", "audio"]);

/** Reads a Chat Completions request. */
export function decodeOpenaiChatRequest(body: unknown, target: RequestTarget = {}): DecodedRequest {
  const reader = createRequestReader(body);
  const root = reader.body;
  const streamOptions = root.field("stream_options")?.kind();
  // How a stream is padded changes nothing in the answer.
  streamOptions?.ignore("include_obfuscation");
  root.ignoreDefaults(DEFAULTS);
  const choice = root.field("tool_choice");
  const tools = divideTools(root.field("tools")?.list() ?? [], { isCallable, isUntold: () => true, read: decodeTool });
  const request = {
    model: readModel(root, target),
    messages: decodeMessages(root.value("messages")),
    stream: root.field("stream")?.flag() ?? target.stream,
    tools: unlessNone([...tools.own, ...decodeFunctions(root)]),
    toolChoice: decodeToolChoice(root, choice),
    parallelToolCalls: root.field("parallel_tool_calls")?.flag(),
    reasoning: unlessEmpty({ effort: root.field("reasoning_effort")?.name() }),
    stop: readStop(root.field("stop")),
    maxOutputTokens: decodeLimit(root),
    sampling: unlessEmpty({
      temperature: root.field("temperature")?.amount(),
      topP: root.field("top_p")?.share(),
      // Not OpenAI's, but understood by most servers that speak its dialect. So is Mistral's name of the seed.
      topK: root.field("top_k")?.number(),
      presencePenalty: root.field("presence_penalty")?.number(),
      frequencyPenalty: root.field("frequency_penalty")?.number(),
      seed: (root.field("seed") ?? root.field("random_seed"))?.number(),
    }),
    output: readOutput(root.field("response_format")?.kind(), (format) => format.value("json_schema").object()),
    metadata: readLabels(root.field("metadata")),
    store: root.field("store")?.flag(),
    streamUsage: streamOptions?.field("include_usage")?.flag(),
    user: readUser(root),
  };
  const native = readNativeSettings(root, "openai-chat", {
    refused: REFUSED,
    // What OpenRouter has done to a request, some of it by other models.
    more: {
      plugins: unlessNone(readNativeItems(root.field("plugins")?.list() ?? [])),
      tools: unlessNone(tools.others),
    },
  });
  return { request: withoutAbsent<GenerationRequest>({ ...request, ...native }), warnings: reader.finish() };
}

/** The new name of the limit wins; the old one beside it is left out unless it says the same. */
function decodeLimit(root: BodyObject): number | undefined {
  const limit = root.field("max_completion_tokens")?.count();
  const old = root.field("max_tokens");
  const oldLimit = old?.count();
  if (limit !== undefined && oldLimit !== undefined && limit !== oldLimit) {
    old?.leaveOut("It was left out because max_completion_tokens says otherwise.");
  }
  return limit ?? oldLimit;
}

/** Whether a tool is a function or takes plain text, or is to be refused as neither. */
function isCallable(type: unknown): boolean {
  return typeof type !== "string" || type === "function" || type === "custom";
}

function decodeTool(tool: BodyObject): ToolDefinition {
  if (tool.value("type").string() === "custom") {
    const definition = readTextTool(tool.value("custom").object(), (format) => format.value("grammar").object());
    return { ...definition, ...readNative(tool, "openai-chat") };
  }
  return { ...readFunction(tool.value("function").object()), ...readNative(tool, "openai-chat") };
}

/** Functions under their old name. */
function decodeFunctions(root: BodyObject): readonly ToolDefinition[] {
  return (root.field("functions")?.list() ?? []).map((item) => readFunction(item.object()));
}

function decodeToolChoice(root: BodyObject, value: BodyValue | undefined): ToolChoice | undefined {
  const choice = readToolChoice(value, (object, name) => object.value(name).object(), {
    tools: root.field("tools")?.raw,
  });
  const legacy = root.field("function_call");
  if (legacy === undefined) return choice;
  const legacyChoice =
    typeof legacy.raw === "string"
      ? legacy.word(["auto", "none"] as const)
      : { name: legacy.object().value("name").name() };
  if (choice !== undefined) legacy.leaveOut("It was left out because tool_choice is there as well.");
  return choice ?? legacyChoice;
}
