import { invalidArgument } from "../errors.ts";
import { CHANNELS } from "../events.ts";
import type { Channel } from "../events.ts";
import { foldCase } from "../text/alphabet.ts";
import { createStringSet } from "../text/string-matcher.ts";
import type { StringSet } from "../text/string-matcher.ts";
import { checkFlag, checkNames } from "../check.ts";

/** Where a stop string is looked for: one channel, several, or all of them. */
export type StopScope = Channel | "all" | readonly Channel[];

/** A stop string with settings of its own. */
export interface StopString {
  readonly text: string;
  /** Default `"text"`: thinking and tool arguments are not watched unless asked for. */
  readonly scope?: StopScope | undefined;
  /** Whether the match stays in the output. Default: the `include` of the whole set, which is false. */
  readonly include?: boolean | undefined;
}

/** Settings for a whole set of stop strings. */
export interface StopStringOptions {
  /** Whether matches stay in the output. Default false: no character of a match is shown. */
  readonly include?: boolean | undefined;
  /** Whether `STOP` also matches `stop`. Default false. */
  readonly caseInsensitive?: boolean | undefined;
}

/** The strings that are watched in one channel. */
export interface StopSet extends StringSet {
  /** Whether each string is kept in the output. */
  readonly include: readonly boolean[];
}

/** Stop strings ready for use by any number of generations; channels in which nothing is watched are absent. */
export type CompiledStopStrings = ReadonlyMap<Channel, StopSet>;

/** No tokenizer or template needs longer ones, and a mistaken argument (a document, a buffer) is caught here. */
const LONGEST_STRING = 65_536;
const LONGEST_TOTAL = 4_194_304;

/**
 * Checks and compiles stop strings. Duplicates fold into one; the result depends on the set and not on its order.
 * A list of 100,000 strings takes about a second here and nothing extra while generating.
 */
export function compileStopStrings(
  stop: string | readonly (string | StopString)[],
  options: StopStringOptions = {},
): CompiledStopStrings {
  const { include = false, caseInsensitive = false } = options;
  if (typeof stop !== "string" && !Array.isArray(stop)) {
    throw invalidArgument("stop", "must be a string or a list of strings", stop);
  }
  const given: readonly (string | StopString)[] = typeof stop === "string" ? [stop] : stop;
  const byChannel = new Map<Channel, Map<string, Entry>>();
  let total = 0;
  for (const item of given) {
    const entry = toEntry(item, include);
    total += entry.text.length;
    if (total > LONGEST_TOTAL) {
      throw invalidArgument("stop", `may hold ${LONGEST_TOTAL} characters in all`, entry.text);
    }
    for (const channel of entry.channels) addEntry(byChannel, channel, entry, caseInsensitive);
  }
  const sets = new Map<Channel, StopSet>();
  for (const [channel, entries] of byChannel) sets.set(channel, buildSet(entries, caseInsensitive));
  return sets;
}

interface Entry {
  readonly text: string;
  readonly channels: readonly Channel[];
  readonly include: boolean;
}

function toEntry(item: string | StopString, includeByDefault: boolean): Entry {
  const isObject = typeof item === "object" && item !== null;
  const text: unknown = isObject ? item.text : item;
  if (typeof text !== "string") throw invalidArgument("stop", "must hold strings or {text} objects", item);
  if (text === "") throw invalidArgument("stop", "must not hold an empty string, which would match at once", item);
  if (text.length > LONGEST_STRING) {
    throw invalidArgument("stop", `must hold strings of at most ${LONGEST_STRING} characters`, text);
  }
  if (!text.isWellFormed()) throw invalidArgument("stop", "must not hold half a character", text);
  if (!isObject) return { text, channels: ["text"], include: includeByDefault };
  checkNames("stop", item, { text: true, scope: true, include: true });
  const { include = includeByDefault } = item;
  checkFlag("stop include", include);
  return { text, channels: toChannels(item.scope ?? "text"), include };
}

/** The channels that a scope names. */
export function toChannels(scope: StopScope): readonly Channel[] {
  if (scope === "all") return CHANNELS;
  const named: readonly unknown[] = Array.isArray(scope) ? scope : [scope];
  const channels = CHANNELS.filter((channel) => named.includes(channel));
  if (channels.length === 0 || channels.length !== new Set(named).size) {
    throw invalidArgument("scope", `must be "all" or one or more of ${CHANNELS.join(", ")}`, scope);
  }
  return channels;
}

function addEntry(
  byChannel: Map<Channel, Map<string, Entry>>,
  channel: Channel,
  entry: Entry,
  caseInsensitive: boolean,
): void {
  const entries = byChannel.get(channel) ?? new Map<string, Entry>();
  byChannel.set(channel, entries);
  const key = caseInsensitive ? foldCase(entry.text) : entry.text;
  const same = entries.get(key);
  // Of two spellings that fold together the lower one is reported, and hiding wins over showing: neither choice
  // depends on which came first.
  entries.set(
    key,
    same === undefined
      ? entry
      : {
          text: same.text < entry.text ? same.text : entry.text,
          channels: entry.channels,
          include: same.include && entry.include,
        },
  );
}

function buildSet(entries: Map<string, Entry>, caseInsensitive: boolean): StopSet {
  const values = [...entries.values()];
  const set = createStringSet(
    values.map((entry) => entry.text),
    caseInsensitive,
  );
  return { ...set, include: values.map((entry) => entry.include) };
}
