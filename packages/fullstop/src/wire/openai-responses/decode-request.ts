import type { GenerationRequest, ReasoningSettings, ToolDefinition } from "../../request.ts";
import type { DecodedRequest, RequestTarget } from "../format.ts";
import { readFunction, readOutput, readToolChoice, readUser } from "../requests/openai.ts";
import { readNative, readNativeSettings } from "../requests/native.ts";
import { createRequestReader } from "../requests/reader.ts";
import type { BodyObject } from "../requests/reader.ts";
import { isStrictSchema } from "../requests/schemas.ts";
import { readLabels, readModel, readStop, refuseStoredConversation } from "../requests/settings.ts";
import { divideTools } from "../requests/tools.ts";
import { unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { decodeMessages } from "./decode-messages.ts";

/** What a request says that holds anyway. */
const DEFAULTS = {
  background: false,
  // The proofs of thinking come in every dialect, and are asked for wherever a model is to think.
  include: ["reasoning.encrypted_content"],
  service_tier: "auto",
  top_logprobs: 0,
  truncation: "disabled",
} as const;

/** What is not handed on: answers that come later or are of another kind than text. */
const REFUSED: ReadonlySet<string> = new Set([
  "background",
  "top_logprobs",
  "modalities",
  "audio",
  "models",
  "fallbacks",
]);

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
  const { functions, others } = divideTools(root.field("tools"), isFunction, decodeTool);
  const request = {
    model: readModel(root, target),
    messages: decodeMessages(root.value("input"), root.field("instructions")),
    stream: root.field("stream")?.flag() ?? target.stream,
    tools: unlessNone(functions),
    toolChoice: readToolChoice(root.field("tool_choice"), (choice) => choice),
    parallelToolCalls: root.field("parallel_tool_calls")?.flag(),
    reasoning: decodeReasoning(root.field("reasoning")?.object()),
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
  const native = readNativeSettings(root, "openai-responses", { refused: REFUSED, lists: { tools: others } });
  return { request: withoutAbsent<GenerationRequest>({ ...request, ...native }), warnings: reader.finish() };
}

/** Whether a tool is to be read as a function, or refused as none. */
function isFunction(type: unknown): boolean {
  return typeof type !== "string" || type === "function";
}

/** Where nothing is said of strictness, the provider is strict with the schemas that allow it. */
function decodeTool(tool: BodyObject): ToolDefinition {
  tool.value("type").string();
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
