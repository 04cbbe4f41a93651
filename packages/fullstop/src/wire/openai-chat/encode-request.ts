import type { GenerationRequest, OutputShape } from "../../request.ts";
import { textToolsOf } from "../../text-tools.ts";
import type { EncodedRequest } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { withDistinctCallIds } from "../requests/distinct-calls.ts";
import { warnOfNative, withNative } from "../requests/native.ts";
import { writeSchema, writeUser } from "../requests/openai.ts";
import { effortOf } from "../requests/reasoning.ts";
import { toolSettingsOf, warnOfManyStops, warnOfSampling, warnOfStore } from "../requests/settings.ts";
import type { SentTool, ToolSettings } from "../requests/settings.ts";
import { ANY_CALL_IDS, NINE_CHARACTER_CALL_IDS, idsUpTo, withSpeltCallIds } from "../requests/spelt-calls.ts";
import type { CallSpelling } from "../requests/spelt-calls.ts";
import { withSpeltCallNames } from "../requests/spelt-names.ts";
import { writeFormat } from "../requests/text-tools.ts";
import { joinTools } from "../requests/tools.ts";
import { unlessNone, withoutAbsent } from "../requests/values.ts";
import { createRequestWarnings } from "../requests/warnings.ts";
import { encodeMessages } from "./encode-messages.ts";

/** How many stop strings OpenAI takes. */
const MOST_STOPS = 4;

/** How the ids of calls are spelt. OpenAI refuses long ones, which other servers give and want back. */
const CALL_IDS: Readonly<Record<NonNullable<OpenaiChatVariant["callIds"]>, CallSpelling>> = {
  any: ANY_CALL_IDS,
  openai: idsUpTo(40),
  nine: NINE_CHARACTER_CALL_IDS,
};

/** In what the requests of a provider differ from OpenAI's. */
export interface OpenaiChatVariant {
  /**
   * Whether a choice that allows only some tools to be called is understood. Default false: only the tools that may be
   * called are sent, because whoever ignores such a choice would have all of them called.
   */
  readonly allowedTools?: boolean | undefined;
  /**
   * Which ids of calls are taken, others being spelt anew: `openai` up to forty characters, `nine` exactly nine letters
   * and digits, as Mistral wants them. Default `any`: they go back as they came, because some servers keep in them what
   * they need to go on.
   */
  readonly callIds?: "any" | "openai" | "nine" | undefined;
  /** What the limit on all output is called. Default `max_completion_tokens`. */
  readonly limitField?: "max_completion_tokens" | "max_tokens" | undefined;
  /** What the thinking of earlier turns is called where it goes back. Without a name it does not. */
  readonly reasoningField?: "reasoning_content" | "reasoning" | undefined;
  /** Whether the details of that thinking go back, as OpenRouter wants them. Default false. */
  readonly reasoningDetails?: boolean | undefined;
  /** What the seed is called. Default `seed`. */
  readonly seedField?: "seed" | "random_seed" | undefined;
  /** Whether it is taken what the provider may keep. Default true. */
  readonly store?: boolean | undefined;
  /** Whether token counts have to be asked for in a stream. Default true; false where the question is refused. */
  readonly streamOptions?: boolean | undefined;
  /**
   * Whether tools that take plain text are understood, which OpenAI calls custom tools. Default false: they are sent as
   * functions with one parameter.
   */
  readonly textTools?: boolean | undefined;
  /** Whether Google's proofs go back with the calls, which others refuse. Default false. */
  readonly thoughtSignatures?: boolean | undefined;
  /** How several texts of one tool result are written. Default `list`; `string` for whoever takes no list there. */
  readonly toolTexts?: "list" | "string" | undefined;
  /** Whether `top_k` is understood. Default false. */
  readonly topK?: boolean | undefined;
  /** Whether the name of the person the request is made for is taken. Default true. */
  readonly user?: boolean | undefined;
}

/** Writes a request as one of Chat Completions. */
export function encodeOpenaiChatRequest(request: GenerationRequest, variant: OpenaiChatVariant = {}): EncodedRequest {
  const warnings = createRequestWarnings();
  const { sampling = {}, reasoning } = request;
  const { callIds = "any", limitField = "max_completion_tokens", seedField = "seed" } = variant;
  const messages = withSpeltCallIds(withDistinctCallIds(withSpeltCallNames(request)), CALL_IDS[callIds]);
  const settings = toolSettingsOf(request, "openai-chat", warnings, {
    tellsSome: ({ allowed }) => variant.allowedTools === true && allowed.length > 0,
    tellsText: variant.textTools,
  });
  warnOfNative(request, "openai-chat", warnings);
  warnOfManyStops(request.stop, MOST_STOPS, warnings);
  if (variant.topK !== true) warnOfSampling(request, ["topK"], warnings);
  if (reasoning?.show === true) warnings.add("reasoning.show", "The dialect cannot ask to see the thinking.");
  if (variant.store === false) warnOfStore(request, warnings);
  if (variant.user === false && request.user !== undefined) {
    warnings.add("user", "The provider has no such setting; it was left out.");
  }
  const body = withoutAbsent({
    model: request.model,
    messages: encodeMessages(messages, variant, warnings),
    stream: request.stream,
    stream_options: variant.streamOptions === false ? undefined : encodeStreamOptions(request),
    tools: joinTools(settings.tools.map(encodeTool), request, "openai-chat"),
    tool_choice: encodeToolChoice(settings),
    parallel_tool_calls: settings.parallelToolCalls,
    reasoning_effort: effortOf(reasoning, warnings),
    stop: unlessNone(request.stop),
    [limitField]: request.maxOutputTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: variant.topK === true ? sampling.topK : undefined,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    [seedField]: sampling.seed,
    response_format: request.output === undefined ? undefined : encodeOutput(request.output),
    metadata: request.metadata,
    store: variant.store === false ? undefined : request.store,
    user: variant.user === false ? undefined : writeUser(request.user, warnings),
  });
  return { body: withNative(body, request, "openai-chat"), warnings: warnings.all() };
}

/**
 * Without being asked a stream never says what it has cost; a whole answer always does. Who does not want to know it
 * does not ask, because there are servers that refuse the question, whatever it is.
 */
function encodeStreamOptions({ stream, streamUsage = true }: GenerationRequest): JsonRecord | undefined {
  return stream === true && streamUsage ? { include_usage: true } : undefined;
}

function encodeTool({ tool }: SentTool): JsonRecord {
  const { name, description, parameters, strict, textInput } = tool;
  if (textInput !== undefined) {
    const format = writeFormat(textInput, ({ syntax, definition }) => ({ grammar: { syntax, definition } }));
    return withNative({ type: "custom", custom: withoutAbsent({ name, description, format }) }, tool, "openai-chat");
  }
  const written = { type: "function", function: withoutAbsent({ name, description, parameters, strict }) };
  return withNative(written, tool, "openai-chat");
}

function encodeToolChoice({ tools, toolChoice, allowed }: ToolSettings): unknown {
  const textTools = textToolsOf({ tools: tools.map(({ tool }) => tool) });
  const choose = (name: string): JsonRecord =>
    textTools.has(name) ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
  if (allowed === undefined) return typeof toolChoice === "object" ? choose(toolChoice.name) : toolChoice;
  return { type: "allowed_tools", allowed_tools: { mode: toolChoice, tools: allowed.map(choose) } };
}

function encodeOutput(output: OutputShape): JsonRecord {
  if (output.type === "json-schema") return { type: "json_schema", json_schema: writeSchema(output) };
  return { type: output.type === "json" ? "json_object" : "text" };
}
