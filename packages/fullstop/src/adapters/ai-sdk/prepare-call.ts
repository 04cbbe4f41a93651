import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { invalidArgument } from "../../errors.ts";
import { defineStopRules } from "../../stop/stop-rules.ts";
import type { StopRuleOptions, StopRules } from "../../stop/stop-rules.ts";
import type { StopString } from "../../stop/stop-strings.ts";
import { isRecord } from "../../wire/json.ts";
import { arePlainStops } from "../../stop/plain-stops.ts";

/** The rules that hold for every call, as they were given and as they were compiled. */
export interface CommonRules {
  readonly given: StopRuleOptions;
  readonly compiled: StopRules;
}

/** A call as it is made, and the rules for its answer. */
export interface PreparedCall {
  readonly options: LanguageModelV4CallOptions;
  readonly rules: StopRules;
  /** Whether the provider is asked to stop at strings. */
  readonly hadStopStrings: boolean;
}

/** How an answer comes from the provider: piece by piece, so that it can be ended early, or all of it at once. */
export type Transport = "streamed" | "whole";

/** OpenAI refuses a smaller limit for Responses. */
const LEAST_OUTPUT_TOKENS = 16;

/** The fewest stop strings that one of the big providers takes. */
const MOST_STOP_STRINGS = 4;

/**
 * Divides the work between the provider and us. All stop strings, those of the call as well, are watched here: so there
 * may be any number of them, none is shown, and it is known which has matched.
 */
export function prepareCall(
  asked: LanguageModelV4CallOptions,
  provider: string,
  transport: Transport,
  common: CommonRules,
): PreparedCall {
  const { stopSequences = [], maxOutputTokens, providerOptions, ...rest } = asked;
  const { fullstop: own, ...othersOptions } = providerOptions ?? {};
  if (own !== undefined && !isRecord(own)) {
    throw invalidArgument("providerOptions.fullstop", "must be an object of stop rules", own);
  }
  const wanted: StopRuleOptions = own === undefined ? common.given : { ...common.given, ...own };
  const strings = stopSequences.filter((text) => text !== "");
  const sent = stopsToSend(provider, transport, strings, wanted);
  const limit = limitToSend(maxOutputTokens, wanted.maxTokens);
  const isCommon = own === undefined && strings.length === 0;
  return {
    options: {
      ...rest,
      ...(sent.length > 0 && { stopSequences: sent }),
      ...(limit !== undefined && { maxOutputTokens: limit }),
      ...(providerOptions !== undefined && { providerOptions: othersOptions }),
    },
    rules: isCommon
      ? common.compiled
      : defineStopRules({ ...wanted, stop: [...toList(wanted.stop), ...hidden(strings)] }),
    hadStopStrings: sent.length > 0,
  };
}

/**
 * The strings for the provider to watch as well. Of a stream nearly nothing is paid for after a match, because it is
 * closed there, so handing strings on gains nothing; it costs a refusal by models that think, a warning by OpenAI's
 * Responses, and everywhere the knowledge of which string has matched. Anthropic alone tells that, and by ending the
 * answer itself it also tells what was paid for. An answer that comes whole would be paid for to its end, so it is
 * better to be stopped without knowing where: then the strings that the call itself asks for go along.
 */
function stopsToSend(
  provider: string,
  transport: Transport,
  asked: readonly string[],
  rules: StopRuleOptions,
): string[] {
  if (/\banthropic\b/u.test(provider)) {
    const ours = arePlainStops(rules) ? toList(rules.stop).filter((item) => typeof item === "string") : [];
    // Anthropic refuses strings of blanks alone.
    return [...new Set([...asked, ...ours])].filter((text) => text.trim() !== "");
  }
  return transport === "whole" ? asked.slice(0, MOST_STOP_STRINGS) : [];
}

/** The token limit for the provider to keep, which counts exactly: here each piece counts as one token. */
function limitToSend(asked: number | undefined, most: number | undefined): number | undefined {
  if (most === undefined) return asked;
  const ours = Math.max(most, LEAST_OUTPUT_TOKENS);
  return asked === undefined ? ours : Math.min(asked, ours);
}

/** The SDK's stop sequences are never part of the answer, whatever holds for ours. */
function hidden(strings: readonly string[]): readonly StopString[] {
  return strings.map((text) => ({ text, include: false }));
}

function toList(stop: StopRuleOptions["stop"]): readonly (string | StopString)[] {
  if (stop === undefined) return [];
  return typeof stop === "string" ? [stop] : stop;
}
