import type { GenerationRequest, ReasoningSettings, ToolDefinition } from "../../request.ts";
import type { DecodedRequest, RequestTarget } from "../format.ts";
import { listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { readFunction, readOutput, readToolChoice, readUser } from "../requests/openai.ts";
import { readNative, readNativeSettings } from "../requests/native.ts";
import { createRequestReader } from "../requests/reader.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { isStrictSchema } from "../requests/schemas.ts";
import { readLabels, readModel, readStop, refuseStoredConversation } from "../requests/settings.ts";
import { readTextTool } from "../requests/text-tools.ts";
import { divideTools } from "../requests/tools.ts";
import type { DividedTools } from "../requests/tools.ts";
import { unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { decodeMessages, isAddedTools } from "./decode-messages.ts";
import { isOwnChoice, ownChoiceOf } from "./own-tools.ts";
import { flatNameOf, flatNamesOf, groupsAmong } from "./tool-groups.ts";

/** What a request says that holds anyway. */
const DEFAULTS = {
  background: false,
  service_tier: "auto",
  top_logprobs: 0,
  truncation: "disabled",
} as const;

/** The proofs of thinking, which come in every dialect, and are asked for wherever a model is told how to think. */
const PROOFS = { include: ["reasoning.encrypted_content"] } as const;

/** What is not handed on: answers that come later or are of another kind than text. */
const REFUSED: ReadonlySet<string> = new Set(["background", "top_logprobs", "modalities", "audio"]);

/** Types of tools that the caller runs. */
const CALLER_TOOLS: ReadonlySet<string> = new Set(["apply_patch", "computer", "computer_use_preview", "local_shell"]);

/** Reads a Responses request. */
export function decodeOpenaiResponsesRequest(body: unknown, target: RequestTarget = {}): DecodedRequest {
  const reader = createRequestReader(body);
  const root = reader.body;
  refuseStoredConversation(root, ["previous_response_id", "conversation"]);
  // How a stream is padded changes nothing in the answer.
  root.ignore("stream_options");
  root.ignoreDefaults(DEFAULTS);
  const text = root.field("text")?.object();
  text?.ignoreDefaults({ verbosity: "medium" });
  const reasoning = decodeReasoning(root.field("reasoning")?.object());
  if (reasoning !== undefined) root.ignoreDefaults(PROOFS);
  const choice = root.field("tool_choice");
  const allTools = [...(root.field("tools")?.list() ?? []), ...readAddedTools(root.value("input"))];
  const tools = divideTools(allTools, { isCallable, isUntold, read: decodeTool });
  const flatNames = flatNamesOf(tools.own, groupsAmong(tools.others));
  const isOwn = (chosen: unknown): boolean => isOwnChoice(chosen, tools.others);
  const ownChoice = ownChoiceOf(choice?.raw, isOwn);
  const request = {
    model: readModel(root, target),
    messages: decodeMessages(root.value("input"), root.field("instructions"), flatNames),
    stream: root.field("stream")?.flag() ?? target.stream,
    tools: unlessNone(withGrouped(tools, allTools)),
    toolChoice: isOwn(choice?.raw)
      ? undefined
      : readToolChoice(choice, (object) => object, { tools: allTools.map(({ raw }) => raw), isOwn }),
    parallelToolCalls: root.field("parallel_tool_calls")?.flag(),
    reasoning,
    // Not OpenAI's own, but what users of its other dialect expect; nobody who says it wants it ignored.
    stop: readStop(root.field("stop")),
    maxOutputTokens: root.field("max_output_tokens")?.count(),
    sampling: unlessEmpty({
      temperature: root.field("temperature")?.amount(),
      topP: root.field("top_p")?.share(),
    }),
    output: readOutput(text?.field("format")?.kind(), (format) => format),
    metadata: readLabels(root.field("metadata")),
    store: root.field("store")?.flag(),
    user: readUser(root),
  };
  const native = readNativeSettings(root, "openai-responses", {
    refused: REFUSED,
    more: {
      tools: unlessNone(tools.others),
      tool_choice: ownChoice,
    },
  });
  return { request: withoutAbsent<GenerationRequest>({ ...request, ...native }), warnings: reader.finish() };
}

/** The tools that stand in the conversation, where newer versions of Codex put all of them. */
function readAddedTools(input: BodyValue): readonly BodyValue[] {
  if (!Array.isArray(input.raw)) return [];
  return input
    .list()
    .filter(({ raw }) => isAddedTools(raw))
    .flatMap((value) => {
      const item = value.object();
      item.ignore("type", "role", "id", "status");
      return item.value("tools").list();
    });
}

/** The caller's tools with those of its groups, for whoever knows no groups; they stand as they came beside them. */
function withGrouped({ own, others }: DividedTools, all: readonly BodyValue[]): readonly ToolDefinition[] {
  const tools = [...own];
  const names = new Set(own.map(({ name }) => name));
  for (const value of all) {
    if (!others.some((other) => other === value.raw && other?.["type"] === "namespace")) continue;
    for (const tool of decodeGroup(value.kind())) {
      // Providers refuse two tools of one name.
      if (!names.has(tool.name)) tools.push(tool);
      names.add(tool.name);
    }
  }
  return tools;
}

function decodeGroup(group: BodyObject): readonly ToolDefinition[] {
  const namespace = group.value("name").name();
  const tools = group
    .value("tools")
    .list()
    .map((value) => decodeTool(value.kind()));
  group.entries();
  return tools.map(({ name, description, parameters, strict, textInput }) =>
    // What only the dialect says of it stands in the group.
    withoutAbsent({ name: flatNameOf({ namespace, name }), description, parameters, strict, textInput }),
  );
}

/** Whether a tool is a function or takes plain text, or is to be refused as neither. */
function isCallable(type: unknown): boolean {
  return typeof type !== "string" || type === "function" || type === "custom";
}

/**
 * Whether calls of a tool come to the caller as items of a type of its own. In an answer all calls are written as those
 * of functions and of tools that take text, which nobody would understand who has asked for a patch or a click.
 */
function isUntold({ type, environment, execution, tools, require_approval: approval }: JsonRecord): boolean {
  if (type === "tool_search") return execution === "client";
  // A group of tools. Calls say in which group they are.
  if (type === "namespace") return listOf(tools).some((tool) => !isCallable(recordOf(tool)["type"]));
  if (type === "shell") return !stringOf(recordOf(environment)["type"]).startsWith("container");
  // A server that needs nobody's approval is asked by the provider itself.
  if (type === "mcp") return approval !== "never";
  return typeof type === "string" && CALLER_TOOLS.has(type);
}

/** Where nothing is said of strictness, the provider is strict with the schemas that allow it. */
function decodeTool(tool: BodyObject): ToolDefinition {
  if (tool.value("type").string() === "custom") {
    return { ...readTextTool(tool, (format) => format), ...readNative(tool, "openai-responses") };
  }
  const definition = { ...readFunction(tool), ...readNative(tool, "openai-responses") };
  const { parameters, strict } = definition;
  const isStrict = strict === undefined && parameters !== undefined && isStrictSchema(parameters);
  return isStrict ? { ...definition, strict: true } : definition;
}

function decodeReasoning(reasoning: BodyObject | undefined): ReasoningSettings | undefined {
  if (reasoning === undefined) return undefined;
  // The deprecated name of the summary says the same.
  const summaries = [reasoning.field("summary"), reasoning.field("generate_summary")];
  const words = summaries.flatMap((summary) => (summary === undefined ? [] : [summary.name()]));
  for (const summary of summaries) {
    if (summary !== undefined && summary.raw !== "auto") {
      summary.leaveOut("How long a summary should be has no counterpart; it is left to the provider.");
    }
  }
  return unlessEmpty({
    effort: reasoning.field("effort")?.name(),
    show: words.length > 0 ? true : undefined,
  });
}
