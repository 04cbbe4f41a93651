import { pino, stdTimeFunctions } from "pino";
import type { DestinationStream, Logger } from "pino";
import type { GenerationEvent } from "fullstop";
import { NO_WATCH } from "./observer.ts";
import type { GenerationEnd, GenerationObserver } from "./observer.ts";
import { stopOf } from "./stop-source.ts";

/** How much is logged, from least to most. */
export const LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What is logged and where to. */
export interface LogSettings {
  readonly level: LogLevel;
  /** Whether what people and models have written is logged, too. */
  readonly content: boolean;
  /** Takes lines of JSON. */
  readonly destination: DestinationStream;
}

/** Creates a logger that writes one line of JSON for each thing that happens. */
export function createLogger({ level, destination }: Omit<LogSettings, "content">): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, formatters }, destination);
}

/**
 * Logs each generation when it starts (at `debug`) and when it ends (at `info`; at `warn` if it ended in an error).
 * Words of people, models and providers are left out unless `content` asks for them.
 */
export function createLogObserver(logger: Logger, { content }: Pick<LogSettings, "content">): GenerationObserver {
  return {
    started({ id, owner, request, targets }) {
      const who = { id, owner, model: request.model };
      const { messages, maxOutputTokens } = request;
      if (logger.isLevelEnabled("debug")) {
        const asked = { provider: targets[0]?.provider, maxOutputTokens };
        logger.debug({ ...who, ...asked, ...(content && { messages }) }, "generation started");
      }
      return {
        ...NO_WATCH,
        ended(end) {
          const level = end.signal.reason === "error_termination" ? "warn" : "info";
          if (!logger.isLevelEnabled(level)) return;
          const written = content && { messages, ...writtenIn(end.events), message: end.signal.message };
          logger[level]({ ...who, ...describe(end), ...written }, "generation ended");
        },
      };
    },
  };
}

function describe(end: GenerationEnd): object {
  const { signal, usage, asked, failures, order } = end;
  const stop = stopOf(end);
  return {
    provider: asked.provider,
    reason: signal.reason,
    detail: signal.detail,
    ...(signal.reason === "error_termination" && wordsOf(signal.providerSpecific)),
    ...(stop !== undefined && { stoppedBy: stop.source, phase: stop.phase }),
    ...(stop !== undefined && order !== undefined && { stopMilliseconds: round(order.latencyMilliseconds) }),
    milliseconds: round(end.durationMilliseconds),
    ...(end.firstOutputMilliseconds !== undefined && { firstOutputMilliseconds: round(end.firstOutputMilliseconds) }),
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    ...(usage?.estimated === true && { tokensEstimated: true }),
    bytes: bytesOf(end.events),
    ...(failures.length > 0 && {
      failures: failures.map(({ provider, signal: { detail } }) => ({ provider, detail })),
    }),
  };
}

/** The code of an error, where it is a code. A provider's sentence may quote what somebody has written. */
function wordsOf({ originalValue, metadata }: GenerationEnd["signal"]["providerSpecific"]): object {
  const status = metadata?.["status"];
  return {
    ...(/^[\w.:-]{1,64}$/u.test(originalValue) && { errorCode: originalValue }),
    ...(typeof status === "number" && { status }),
  };
}

/** The size of all that was generated, as UTF-8. */
function bytesOf(events: readonly GenerationEvent[]): number {
  let bytes = 0;
  for (const event of events) {
    if (event.type === "text" || event.type === "reasoning") bytes += Buffer.byteLength(event.text);
    else if (event.type === "tool-call-delta") bytes += Buffer.byteLength(event.json);
  }
  return bytes;
}

function writtenIn(events: readonly GenerationEvent[]): { readonly text: string; readonly reasoning: string } {
  let text = "";
  let reasoning = "";
  for (const event of events) {
    if (event.type === "text") text += event.text;
    else if (event.type === "reasoning") reasoning += event.text;
  }
  return { text, reasoning };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
