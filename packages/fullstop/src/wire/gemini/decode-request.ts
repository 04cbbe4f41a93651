import type {
  AssistantMessage,
  GenerationRequest,
  OutputShape,
  ReasoningSettings,
  ToolChoice,
  ToolDefinition,
} from "../../request.ts";
import type { DecodedRequest, RequestTarget } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { readNative, readNativeSettings } from "../requests/native.ts";
import { createRequestReader } from "../requests/reader.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readLabels, readModel, readStopStrings, refuseStoredConversation } from "../requests/settings.ts";
import type { DividedTools } from "../requests/tools.ts";
import { unlessEmpty, unlessNone, withoutAbsent } from "../requests/values.ts";
import { VALIDATED } from "./calling-mode.ts";
import { encodeContinuation } from "./continuation.ts";
import { decodeMessages } from "./decode-messages.ts";
import { decodeSchema } from "./decode-schema.ts";

/** What a request says that holds anyway. */
const DEFAULTS = { candidateCount: 1, responseLogprobs: false, responseModalities: ["TEXT"] } as const;

/** What is not handed on: answers of another kind than text, and whatever has the provider choose another model. */
const REFUSED: ReadonlySet<string> = new Set(
  [
    ["candidateCount", "candidate_count"],
    ["responseLogprobs", "response_logprobs"],
    ["logprobs"],
    ["responseModalities", "response_modalities"],
    ["speechConfig", "speech_config"],
    ["imageConfig", "image_config"],
    ["responseMimeType", "response_mime_type"],
    ["routingConfig", "routing_config"],
    ["modelConfig", "model_config"],
  ].flatMap((names) => names.flatMap((name) => [`generationConfig.${name}`, `generation_config.${name}`])),
);

/** The budget that leaves it to the model how much to think. */
const AUTOMATIC_BUDGET = -1;

/** Reads a Gemini request. Its model, and whether it is a stream, stand in its address. */
export function decodeGeminiRequest(body: unknown, target: RequestTarget = {}): DecodedRequest {
  const reader = createRequestReader(body, { snakeCase: true });
  const root = reader.body;
  refuseStoredConversation(root, ["cachedContent"]);
  const config = root.field("generationConfig")?.object();
  config?.ignoreDefaults(DEFAULTS);
  const { own, others } = decodeTools(root.field("tools"));
  const calling = root.field("toolConfig")?.object().field("functionCallingConfig")?.kind();
  const mode = calling?.field("mode");
  const request = {
    model: target.model ?? readModel(root, target),
    messages: [
      ...decodeMessages(root.value("contents"), root.field("systemInstruction")),
      ...decodeResumption(root.field("continuationToken")?.string()),
    ],
    stream: target.stream,
    tools: unlessNone(own),
    toolChoice: decodeToolChoice(decodeMode(mode), calling?.field("allowedFunctionNames")),
    reasoning: decodeReasoning(config?.field("thinkingConfig")?.object()),
    stop: readStopStrings(config?.field("stopSequences")),
    maxOutputTokens: config?.field("maxOutputTokens")?.count(),
    sampling: unlessEmpty({
      temperature: config?.field("temperature")?.amount(),
      topP: config?.field("topP")?.share(),
      topK: config?.field("topK")?.number(),
      presencePenalty: config?.field("presencePenalty")?.number(),
      frequencyPenalty: config?.field("frequencyPenalty")?.number(),
      seed: config?.field("seed")?.number(),
    }),
    output: config === undefined ? undefined : decodeOutput(config),
    metadata: readLabels(root.field("labels")),
    store: root.field("store")?.flag(),
  };
  const native = readNativeSettings(root, "gemini", {
    refused: REFUSED,
    more: { tools: unlessNone(others), toolConfig: mode?.raw === "VALIDATED" ? VALIDATED : undefined },
  });
  return { request: withoutAbsent<GenerationRequest>({ ...request, ...native }), warnings: reader.finish() };
}

/** An answer that is to be continued, known by its token alone. */
function decodeResumption(token: string | undefined): readonly AssistantMessage[] {
  if (token === undefined || token === "") return [];
  return [{ role: "assistant", content: [{ type: "opaque", format: "gemini", value: encodeContinuation(token) }] }];
}

/** Functions stand together under one tool; whatever else stands beside them is run by the provider. */
function decodeTools(tools: BodyValue | undefined): DividedTools {
  const own: ToolDefinition[] = [];
  const others: JsonRecord[] = [];
  for (const item of tools?.list() ?? []) {
    const tool = item.object();
    for (const declaration of tool.field("functionDeclarations")?.list() ?? []) {
      own.push(decodeTool(declaration.object()));
    }
    const rest = tool.takeUnread();
    if (Object.keys(rest).length > 0) others.push(rest);
  }
  return { own, others };
}

function decodeTool(declaration: BodyObject): ToolDefinition {
  return withoutAbsent({
    name: declaration.value("name").name(),
    description: declaration.field("description")?.string(),
    parameters: declaration.field("parametersJsonSchema")?.json() ?? decodeSchema(declaration.field("parameters")),
    ...readNative(declaration, "gemini"),
  });
}

/** What has to be called, or which functions may be, where not all of them are. */
function decodeToolChoice(mode: ReturnType<typeof decodeMode>, names: BodyValue | undefined): ToolChoice | undefined {
  const allowed = (names?.list() ?? []).map((item) => item.name());
  const [name, ...others] = allowed;
  if (name === undefined || mode === "none") return mode;
  return mode === "required" && others.length === 0 ? { name } : { allowed, mode: mode ?? "auto" };
}

function decodeMode(mode: BodyValue | undefined): "auto" | "none" | "required" | undefined {
  switch (mode?.word(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"])) {
    case "ANY":
      return "required";
    case "NONE":
      return "none";
    case "AUTO":
    case "VALIDATED":
      return "auto";
    default:
      return undefined;
  }
}

/** Thinking of which nothing else is said is left to the model, which is what empty settings mean. */
function decodeReasoning(config: BodyObject | undefined): ReasoningSettings | undefined {
  if (config === undefined) return undefined;
  const budget = config.field("thinkingBudget");
  const level = config.field("thinkingLevel")?.name();
  return withoutAbsent({
    effort: level === "THINKING_LEVEL_UNSPECIFIED" ? undefined : level?.toLowerCase(),
    budgetTokens: budget?.raw === AUTOMATIC_BUDGET ? undefined : budget?.count(),
    show: config.field("includeThoughts")?.flag(),
  });
}

function decodeOutput(config: BodyObject): OutputShape | undefined {
  const mediaType = config.field("responseMimeType");
  const schema = config.field("responseJsonSchema")?.json() ?? decodeSchema(config.field("responseSchema"));
  if (schema !== undefined) {
    // A choice among words comes without quotes there, and nowhere else.
    if (mediaType !== undefined && mediaType.string() !== "application/json") {
      mediaType.leaveOut("What keeps to a schema is JSON everywhere else; the answer will be JSON.");
    }
    return { type: "json-schema", schema };
  }
  switch (mediaType?.string()) {
    case "application/json":
      return { type: "json" };
    case "text/plain":
      return { type: "text" };
    default:
      mediaType?.leaveOut();
      return undefined;
  }
}
