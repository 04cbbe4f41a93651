import type { StopRuleOptions } from "../../stop/stop-rules.ts";
import type { StopString } from "../../stop/stop-strings.ts";
import { listOf, recordOf } from "../../wire/json.ts";
import type { JsonRecord } from "../../wire/json.ts";
import type { GenerationCall, GuardedFormat } from "./recognise-request.ts";
import { arePlainStops } from "../../stop/plain-stops.ts";

/** What a dialect's requests say of the end of an answer, and where. */
interface RequestShape {
  /** The object that the fields stand in, where that is not the body itself. */
  readonly parent?: string;
  readonly stop: string;
  /** The names of the token limit. The first is added where none is there, unless `addsLimit` is false. */
  readonly limits: readonly [string, ...string[]];
  readonly addsLimit: boolean;
  /** The smallest limit that is taken. */
  readonly leastLimit: number;
  /** The most stop strings that everybody who speaks the dialect takes. */
  readonly mostStops: number;
  /** When our own stop strings are sent along. */
  readonly sendsOurs: "always" | "whole answers" | "never";
}

const SHAPES: Readonly<Record<GuardedFormat, RequestShape>> = {
  // Models that think refuse stop strings here, and which name of the limit is taken depends on the model, too.
  "openai-chat": {
    stop: "stop",
    limits: ["max_completion_tokens", "max_tokens"],
    addsLimit: false,
    leastLimit: 1,
    mostStops: 4,
    sendsOurs: "never",
  },
  "openai-responses": {
    stop: "stop",
    limits: ["max_output_tokens"],
    addsLimit: true,
    leastLimit: 16,
    mostStops: 0,
    sendsOurs: "never",
  },
  // Tells which string has matched, so that nothing is lost by leaving them to it.
  "anthropic-messages": {
    stop: "stop_sequences",
    limits: ["max_tokens"],
    addsLimit: true,
    leastLimit: 1,
    mostStops: Infinity,
    sendsOurs: "always",
  },
  // Does not tell which has matched. Of a whole answer everything after the match would be paid for.
  gemini: {
    parent: "generationConfig",
    stop: "stopSequences",
    limits: ["maxOutputTokens"],
    addsLimit: true,
    leastLimit: 1,
    mostStops: 5,
    sendsOurs: "whole answers",
  },
};

/** A request as it is sent, and the rules for its answer. */
export interface PreparedRequest {
  /** The body, if it is not the one that came. */
  readonly body: JsonRecord | undefined;
  readonly rules: StopRuleOptions;
  /** Whether the provider was asked to stop at strings. */
  readonly hasStopStrings: boolean;
}

/**
 * Divides the work between the provider and us. Strings that the request itself asks for stay with the provider as far
 * as it takes them, and are watched here all the same: some servers ignore them, and some show them. Those that it would
 * refuse are taken out. Ours go along only where that loses nothing.
 */
export function prepareRequest(call: GenerationCall, rules: StopRuleOptions): PreparedRequest {
  const shape = SHAPES[call.format];
  const settings = shape.parent === undefined ? call.body : recordOf(call.body[shape.parent]);
  const asked = stringsIn(settings[shape.stop]);
  const ours = toList(rules.stop);
  const stops = stopsToSend(call, shape, asked, arePlainStops(rules) ? ours : []);
  const limit = limitToSend(call.body, settings, shape, rules.maxTokens);
  const changed: Record<string, unknown> = { ...settings, ...limit };
  if (stops !== undefined) {
    if (stops.length === 0) delete changed[shape.stop];
    else changed[shape.stop] = stops;
  }
  // vLLM shows a match if it is asked to, and then it is not for us to hide it.
  const watched = call.body["include_stop_str_in_output"] === true ? [] : asked;
  return {
    body: stops === undefined && limit === undefined ? undefined : withSettings(call.body, shape, changed),
    rules:
      watched.length === 0
        ? rules
        : { ...rules, stop: [...ours, ...watched.map((text) => ({ text, include: false }))] },
    hasStopStrings: (stops ?? asked).length > 0,
  };
}

function withSettings(body: JsonRecord, { parent }: RequestShape, settings: JsonRecord): JsonRecord {
  return parent === undefined ? settings : { ...body, [parent]: settings };
}

/** The strings for the provider to watch; undefined if the request can stay as it is. */
function stopsToSend(
  call: GenerationCall,
  { mostStops, sendsOurs }: RequestShape,
  asked: readonly string[],
  ours: readonly (string | StopString)[],
): readonly string[] | undefined {
  const isShared = sendsOurs === "always" || (sendsOurs === "whole answers" && !call.isStream);
  const wanted = [...new Set([...asked, ...(isShared ? ours.filter((item) => typeof item === "string") : [])])];
  // Anthropic refuses strings of blanks alone.
  const taken = wanted.filter((text) => call.format !== "anthropic-messages" || text.trim() !== "").slice(0, mostStops);
  const isSame = taken.length === asked.length && taken.every((text, index) => text === asked[index]);
  return isSame ? undefined : taken;
}

/** The token limit for the provider to keep, which counts exactly; undefined if the request can stay as it is. */
function limitToSend(
  body: JsonRecord,
  settings: JsonRecord,
  { limits, addsLimit, leastLimit }: RequestShape,
  most: number | undefined,
): JsonRecord | undefined {
  if (most === undefined || most < leastLimit) return undefined;
  // Anthropic refuses a limit that the thinking alone may use up.
  const budget = recordOf(body["thinking"])["budget_tokens"];
  if (typeof budget === "number" && budget >= most) return undefined;
  const named = limits.find((name) => typeof settings[name] === "number");
  if (named === undefined) return addsLimit ? { [limits[0]]: most } : undefined;
  return Number(settings[named]) > most ? { [named]: most } : undefined;
}

function stringsIn(value: unknown): readonly string[] {
  const items = typeof value === "string" ? [value] : listOf(value);
  return items.filter((item) => typeof item === "string" && item !== "").map(String);
}

function toList(stop: StopRuleOptions["stop"]): readonly (string | StopString)[] {
  if (stop === undefined) return [];
  return typeof stop === "string" ? [stop] : stop;
}
