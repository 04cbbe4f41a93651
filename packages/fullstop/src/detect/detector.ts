import { checkNames } from "../check.ts";
import type { GenerationEvent, Usage } from "../events.ts";
import { createTerminationSignal, isTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { AnswerFormat, DecodeOptions, WireFormatName } from "../wire/format.ts";
import { ANSWER_FORMATS } from "../wire/formats.ts";
import { DECODE_OPTION_NAMES, checkDecodeOptions } from "../wire/reading/decode.ts";
import { sanitiseMetadata } from "../wire/reading/sanitise.ts";
import { allowedFormat } from "./any-payloads.ts";
import { checkFormats } from "./check-formats.ts";
import { guessFormat, recogniseFormat } from "./recognise.ts";

/** What an answer shows besides its finish value, for those who have to decide what comes next. */
export interface TerminationContext {
  readonly format: WireFormatName;
  readonly id: string;
  readonly model: string;
  readonly hasText: boolean;
  readonly hasReasoning: boolean;
  /** How many calls the caller is asked to run. */
  readonly toolCalls: number;
  /** How many of them are whole. The others were cut and must not be run. */
  readonly completeToolCalls: number;
  readonly usage?: Usage | undefined;
  /** What else may be kept for debugging: no content, no keys, bounded. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Tells how an answer of one provider has ended. */
export interface ProviderTerminationDetector {
  /**
   * The signal of a whole answer, or of one chunk of a stream. A chunk that does not end anything gives a signal with
   * `shouldTerminate: false`. A finish value in a chunk is not yet the end of the stream: to follow one, use a
   * streaming handler.
   */
  detectTermination(response: unknown, isStreaming: boolean): TerminationSignal;
  extractTerminationContext(response: unknown): TerminationContext;
  /** Whether a signal is complete and makes sense. */
  validateTerminationSignal(signal: unknown): boolean;
}

/** Options of {@link createDetector}. */
export interface DetectorOptions extends DecodeOptions {
  /** The dialects to tell apart; the first is assumed where nothing tells. Default: all of them. */
  readonly formats?: readonly WireFormatName[] | undefined;
}

/** Creates a detector for answers in any of some dialects, told apart by their shape. */
export function createDetector(options: DetectorOptions = {}): ProviderTerminationDetector {
  checkNames("detector options", options, { ...DECODE_OPTION_NAMES, formats: true });
  const { formats, ...decodeOptions } = options;
  checkFormats("formats", formats);
  checkDecodeOptions(decodeOptions);
  const formatOf = (response: unknown): AnswerFormat => ANSWER_FORMATS[chooseFormat(response, formats)];
  return {
    detectTermination(response, isStreaming) {
      const format = formatOf(response);
      const signal = isStreaming
        ? readChunk(format, response, decodeOptions)
        : lastSignal(format.decodeResponse(response, decodeOptions));
      return withMetadata(signal, response);
    },
    extractTerminationContext(response) {
      const format = formatOf(response);
      return describeAnswer(format.name, format.decodeResponse(response, decodeOptions), response);
    },
    validateTerminationSignal: (signal) =>
      isTerminationSignal(signal) && (signal.shouldTerminate || signal.detail === "in_progress"),
  };
}

/** The dialect of a response among those that are possible. */
function chooseFormat(response: unknown, formats: readonly WireFormatName[] | undefined): WireFormatName {
  return allowedFormat(recogniseFormat(response) ?? guessFormat(response), formats);
}

function lastSignal(events: readonly GenerationEvent[]): TerminationSignal {
  const last = events.at(-1);
  return last?.type === "finish" ? last.signal : inProgressSignal();
}

/** What one chunk says. If that is nothing, the answer is still being written; only the end of the stream can tell more. */
function readChunk(format: AnswerFormat, chunk: unknown, options: DecodeOptions): TerminationSignal {
  const events: GenerationEvent[] = [];
  const sink = format.decodePayloads(options)({ push: (event) => void events.push(event), end: () => undefined });
  sink.push(chunk);
  sink.end();
  const signal = lastSignal(events);
  if (signal.detail === "truncated") return inProgressSignal();
  // The calls have come in earlier chunks, so that nothing speaks against the word.
  return signal.reason === "tool_calls" ? { ...signal, confidence: "high" } : signal;
}

function inProgressSignal(): TerminationSignal {
  return createTerminationSignal({
    reason: "unknown",
    confidence: "low",
    shouldTerminate: false,
    detail: "in_progress",
    originalField: "chunk",
    originalValue: "",
    message: "The answer is still being written",
  });
}

function withMetadata(signal: TerminationSignal, response: unknown): TerminationSignal {
  const { providerSpecific } = signal;
  const kept = sanitiseMetadata(response);
  const metadata = providerSpecific.metadata === undefined ? kept : { ...kept, ...providerSpecific.metadata };
  return { ...signal, providerSpecific: { ...providerSpecific, metadata } };
}

function describeAnswer(
  format: WireFormatName,
  events: readonly GenerationEvent[],
  response: unknown,
): TerminationContext {
  const start = events.find((event) => event.type === "start");
  const usage = events.findLast((event) => event.type === "usage")?.usage;
  const count = (type: GenerationEvent["type"]): number => events.filter((event) => event.type === type).length;
  return {
    format,
    id: start?.id ?? "",
    model: start?.model ?? "",
    hasText: count("text") > 0,
    hasReasoning: count("reasoning") > 0,
    toolCalls: count("tool-call-start"),
    completeToolCalls: count("tool-call-end"),
    ...(usage !== undefined && { usage }),
    metadata: sanitiseMetadata(response),
  };
}
