import type { WireFormatName } from "../wire/format.ts";

/**
 * What a provider tells and allows about the end of an answer, in the first of its dialects where they differ. Other
 * routes may tell more: llama.cpp names the stop string on its own route and on that of Anthropic's dialect.
 */
export interface TerminationCapabilities {
  /** Whether it tells which stop string has matched. */
  readonly reportsStopSequence: boolean;
  /** Whether tool calls have a finish value of their own, rather than that of a natural end. */
  readonly reportsToolCalls: boolean;
  /** What proves that a stream was not cut: a word after everything, an event of its own, or the finish value alone. */
  readonly endMarker: "sentinel" | "event" | "value";
  /** The most stop strings it takes; 0 if it knows none, Infinity if no limit is known. */
  readonly maxStopStrings: number;
  /**
   * Whether a running answer can be cancelled by a call, not only by dropping the connection, on any of its routes:
   * OpenAI's Responses in the background, Google's Interactions.
   */
  readonly canCancel: boolean;
}

/** What is known about a provider's endings. */
export interface ProviderDescription {
  readonly id: string;
  /** The dialects it speaks; the first is assumed where an answer does not tell. */
  readonly formats: readonly WireFormatName[];
  readonly capabilities: TerminationCapabilities;
  /** The words behind numeric finish values. */
  readonly finishNumbers?: Readonly<Record<number, string>> | undefined;
}

const CHAT: TerminationCapabilities = {
  reportsStopSequence: false,
  reportsToolCalls: true,
  endMarker: "sentinel",
  maxStopStrings: 4,
  canCancel: false,
};

/** A provider that speaks Chat Completions, and how it differs. */
function describeChat(
  id: string,
  differences: Partial<TerminationCapabilities> = {},
  formats: readonly WireFormatName[] = ["openai-chat"],
): ProviderDescription {
  return { id, formats, capabilities: { ...CHAT, ...differences } };
}

const ALL = Infinity;

/** The numbers of xAI's enum, which some encodings send instead of the names. */
const XAI_NUMBERS: Readonly<Record<number, string>> = {
  0: "REASON_INVALID",
  1: "REASON_MAX_LEN",
  2: "REASON_MAX_CONTEXT",
  3: "REASON_STOP",
  4: "REASON_TOOL_CALLS",
  5: "REASON_TIME_LIMIT",
};

/** The providers and servers that are known from the start. */
export const PROVIDERS: readonly ProviderDescription[] = [
  describeChat("openai", { canCancel: true }, ["openai-chat", "openai-responses", "openai-completions"]),
  describeChat("azure", {}, ["openai-chat", "openai-responses"]),
  {
    ...describeChat("xai", { maxStopStrings: 8 }, ["openai-chat", "openai-responses"]),
    finishNumbers: XAI_NUMBERS,
  },
  describeChat("mistral", { maxStopStrings: ALL }, ["mistral-chat"]),
  describeChat("deepseek", { maxStopStrings: 16 }, ["openai-chat", "openai-responses"]),
  describeChat("groq"),
  describeChat("openrouter", {}, ["openai-chat", "openai-responses", "anthropic-messages"]),
  describeChat("perplexity", { reportsToolCalls: false, endMarker: "value" }),
  describeChat("together", { maxStopStrings: ALL }),
  describeChat("fireworks"),
  describeChat("cerebras"),
  describeChat("huggingface"),
  describeChat("zhipu"),
  describeChat("vllm", { reportsStopSequence: true, maxStopStrings: ALL }, [
    "openai-chat",
    "openai-responses",
    "openai-completions",
    "anthropic-messages",
  ]),
  describeChat("sglang", { reportsStopSequence: true, maxStopStrings: ALL, canCancel: true }, [
    "openai-chat",
    "openai-completions",
  ]),
  describeChat("tgi", {}, ["openai-chat", "openai-completions"]),
  describeChat("llamacpp", { maxStopStrings: ALL }, [
    "openai-chat",
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
  ]),
  describeChat("lmstudio", { maxStopStrings: ALL }, ["openai-chat", "openai-responses", "anthropic-messages"]),
  {
    id: "anthropic",
    formats: ["anthropic-messages"],
    capabilities: {
      reportsStopSequence: true,
      reportsToolCalls: true,
      endMarker: "event",
      maxStopStrings: ALL,
      canCancel: false,
    },
  },
  {
    id: "google",
    formats: ["gemini", "gemini-interactions"],
    capabilities: {
      reportsStopSequence: false,
      reportsToolCalls: false,
      endMarker: "value",
      maxStopStrings: 5,
      canCancel: true,
    },
  },
  {
    id: "bedrock",
    formats: ["bedrock-converse", "anthropic-messages"],
    capabilities: {
      reportsStopSequence: false,
      reportsToolCalls: true,
      endMarker: "event",
      maxStopStrings: 2500,
      canCancel: false,
    },
  },
  {
    id: "cohere",
    formats: ["cohere-chat"],
    capabilities: {
      reportsStopSequence: false,
      reportsToolCalls: true,
      endMarker: "event",
      maxStopStrings: 5,
      canCancel: false,
    },
  },
  {
    id: "ollama",
    formats: ["ollama-chat", "openai-chat", "anthropic-messages", "openai-responses"],
    capabilities: {
      reportsStopSequence: false,
      reportsToolCalls: false,
      endMarker: "event",
      maxStopStrings: ALL,
      canCancel: false,
    },
  },
];
