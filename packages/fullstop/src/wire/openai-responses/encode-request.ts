import type { GenerationRequest, OutputShape, ReasoningSettings } from "../../request.ts";
import { textToolsOf } from "../../text-tools.ts";
import type { EncodedRequest } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { withDistinctCallIds } from "../requests/distinct-calls.ts";
import { warnOfNative, withNative } from "../requests/native.ts";
import { writeSchema, writeUser } from "../requests/openai.ts";
import { effortOf } from "../requests/reasoning.ts";
import { toolSettingsOf, warnOfSampling } from "../requests/settings.ts";
import type { SentTool, ToolSettings } from "../requests/settings.ts";
import { ANY_CALL_IDS, idsUpTo, withSpeltCallIds } from "../requests/spelt-calls.ts";
import type { CallSpelling } from "../requests/spelt-calls.ts";
import { withSpeltCallNames } from "../requests/spelt-names.ts";
import { writeFormat } from "../requests/text-tools.ts";
import { joinTools } from "../requests/tools.ts";
import { unlessEmpty, withoutAbsent } from "../requests/values.ts";
import { createRequestWarnings } from "../requests/warnings.ts";
import type { RequestWarnings } from "../requests/warnings.ts";
import { encodeMessages } from "./encode-messages.ts";
import { allowsAny, nameTool, separateOwnChoice, withCallableOwnTools } from "./own-tools.ts";
import { withoutGroupedTools } from "./tool-groups.ts";

/** How the ids of calls are spelt. OpenAI refuses long ones, which other servers give and want back. */
const CALL_IDS: Readonly<Record<NonNullable<OpenaiResponsesVariant["callIds"]>, CallSpelling>> = {
  any: ANY_CALL_IDS,
  openai: idsUpTo(64),
};

/** In what the requests of a provider differ from those that everybody understands who speaks Responses. */
export interface OpenaiResponsesVariant {
  /**
   * Whether a choice that allows only some tools to be called is understood. Default false: only the tools that may be
   * called are sent, because whoever ignores such a choice would have all of them called.
   */
  readonly allowedTools?: boolean | undefined;
  /**
   * Which ids of calls are taken, others being spelt anew: `openai` up to 64 characters. Default `any`: they go back as
   * they came, because some servers keep in them what they need to go on.
   */
  readonly callIds?: "any" | "openai" | undefined;
  /**
   * Whether tools that take plain text are understood, which OpenAI calls custom tools. Default false: they are sent as
   * functions with one parameter.
   */
  readonly textTools?: boolean | undefined;
}

/** Writes a request as one of Responses. */
export function encodeOpenaiResponsesRequest(
  given: GenerationRequest,
  { allowedTools = false, callIds = "any", textTools = false }: OpenaiResponsesVariant = {},
): EncodedRequest {
  const warnings = createRequestWarnings();
  const separated = separateOwnChoice(withoutGroupedTools(given));
  const tellsSome = allowedTools && allowsAny(separated);
  const request = tellsSome ? separated.request : withCallableOwnTools(separated, warnings);
  const ownChoice = tellsSome || request.toolChoice === undefined ? separated.ownChoice : undefined;
  const { sampling = {}, reasoning, output } = request;
  const words = { tellsSome: () => tellsSome, tellsText: textTools };
  const settings = toolSettingsOf(request, "openai-responses", warnings, words);
  warnOfNative(request, "openai-responses", warnings);
  warnOfSampling(request, ["topK", "presencePenalty", "frequencyPenalty", "seed"], warnings);
  if (request.stop !== undefined && request.stop.length > 0) {
    warnings.add("stop", "The dialect has no stop strings; they were left out.");
  }
  const thinking = reasoning === undefined ? undefined : encodeReasoning(reasoning, warnings);
  const messages = withSpeltCallIds(withDistinctCallIds(withSpeltCallNames(request)), CALL_IDS[callIds]);
  const body = withoutAbsent({
    model: request.model,
    ...encodeMessages(messages, { textTools }, warnings),
    stream: request.stream,
    tools: joinTools(settings.tools.map(encodeTool), request, "openai-responses"),
    tool_choice: ownChoice ?? encodeToolChoice(settings),
    parallel_tool_calls: settings.parallelToolCalls,
    reasoning: thinking,
    // Thinking that comes without its proof cannot be sent back, and nothing here relies on what the provider keeps.
    include: thinking === undefined || thinking["effort"] === "none" ? undefined : ["reasoning.encrypted_content"],
    max_output_tokens: request.maxOutputTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    text: output === undefined ? undefined : { format: encodeOutput(output) },
    metadata: request.metadata,
    store: request.store,
    user: writeUser(request.user, warnings),
  });
  return { body: withNative(body, request, "openai-responses"), warnings: warnings.all() };
}

/** The dialect wants to hear that there are no parameters, and takes a tool to be strict of which nothing is said. */
function encodeTool({ tool }: SentTool): JsonRecord {
  const { name, description, parameters, strict, textInput } = tool;
  if (textInput !== undefined) {
    const format = writeFormat(textInput, ({ syntax, definition }) => ({ syntax, definition }));
    return withNative(withoutAbsent({ type: "custom", name, description, format }), tool, "openai-responses");
  }
  const written = withoutAbsent({
    type: "function",
    name,
    description,
    parameters: parameters ?? null,
    strict: strict ?? false,
  });
  return withNative(written, tool, "openai-responses");
}

function encodeToolChoice({ tools, toolChoice, allowed }: ToolSettings): unknown {
  const textTools = textToolsOf({ tools: tools.map(({ tool }) => tool) });
  const choose = (name: string): JsonRecord => nameTool(name, textTools.has(name));
  if (allowed === undefined) return typeof toolChoice === "object" ? choose(toolChoice.name) : toolChoice;
  return { type: "allowed_tools", mode: toolChoice, tools: allowed.map(choose) };
}

/** Without a summary nothing of the thinking is shown. */
function encodeReasoning(reasoning: ReasoningSettings, warnings: RequestWarnings): JsonRecord | undefined {
  return unlessEmpty({
    effort: effortOf(reasoning, warnings),
    summary: reasoning.show === true ? "auto" : undefined,
  });
}

function encodeOutput(output: OutputShape): JsonRecord {
  if (output.type === "json-schema") return { type: "json_schema", ...writeSchema(output) };
  return { type: output.type === "json" ? "json_object" : "text" };
}
