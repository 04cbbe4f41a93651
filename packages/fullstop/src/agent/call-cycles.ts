import { checkCount, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import { canonicalJson } from "./canonical-json.ts";

/** A tool call that was carried out, with what came of it. */
export interface WatchedCall {
  readonly name: string;
  /** The arguments as the JSON text the model wrote. */
  readonly json: string;
  readonly result: string;
}

/** One of the calls that are being repeated. */
export type CycleCall = Pick<WatchedCall, "name" | "json">;

/**
 * What to do after a call: go on, tell the model once that it repeats itself, or stop it. The list may grow in a
 * later version.
 */
export type CallVerdict = "fine" | "nudge" | "halt";

/** When repeated calls are too many. */
export interface CallWatchOptions {
  /** How many times the same calls have to come, the first time included, for a nudge. Default 3. */
  readonly nudge?: number | undefined;
  /** How many times for a halt. Default 5. */
  readonly halt?: number | undefined;
  /** The most calls that make up one cycle. Default 5. */
  readonly maxCycle?: number | undefined;
}

/** A verdict on the last of some calls, and what it rests on. */
export interface CallJudgement {
  readonly verdict: CallVerdict;
  /** The calls that are being repeated, the latest last; none while there are fewer repetitions than for a nudge. */
  readonly cycle: readonly CycleCall[];
  /** How many times the cycle has come, the first time included; 0 without one. */
  readonly repetitions: number;
}

/** Notices an agent that repeats itself, call by call. */
export interface CallWatch {
  /** Takes a call that was carried out and says what to do about it. */
  add(call: WatchedCall): CallVerdict;
  /** The calls that are being repeated, as of the last call. */
  readonly cycle: readonly CycleCall[];
  /** How many times they have come, as far back as the watch remembers; 0 without a cycle. */
  readonly repetitions: number;
}

/**
 * Judges the last of some calls: whether the calls at the end are the same few over and over. A call counts as
 * repeated only if its result is the same as well, because polling that makes progress is no loop. Where a cycle has
 * been going on since an earlier call that got the nudge, the verdict is fine until it comes to a halt.
 */
export function judgeCalls(calls: readonly WatchedCall[], options: CallWatchOptions = {}): CallJudgement {
  const settings = toSettings(options);
  if (!Array.isArray(calls)) throw invalidArgument("calls", "must be a list of { name, json, result }", calls);
  return judge((calls as readonly WatchedCall[]).map(toEntry), settings);
}

/** Opens a watch on the calls of one run. It remembers only as many of them as can matter. */
export function createCallWatch(options: CallWatchOptions = {}): CallWatch {
  const settings = toSettings(options);
  // One more than a halt can rest on: whether the call before was part of a cycle decides if a nudge is due.
  const remembered = settings.maxCycle * settings.halt + 1;
  const entries: Entry[] = [];
  let last = NO_CYCLE;
  return {
    add(call) {
      entries.push(toEntry(call));
      if (entries.length > remembered) entries.shift();
      last = judge(entries, settings);
      return last.verdict;
    },
    get cycle() {
      return last.cycle;
    },
    get repetitions() {
      return last.repetitions;
    },
  };
}

type Settings = Readonly<Record<"nudge" | "halt" | "maxCycle", number>>;

/** A call with its arguments in the form in which they are compared. */
interface Entry extends WatchedCall {
  readonly canonical: string;
}

interface Cycle {
  readonly length: number;
  readonly repetitions: number;
}

const OPTION_NAMES = { nudge: true, halt: true, maxCycle: true } as const;

const NO_CYCLE: CallJudgement = { verdict: "fine", cycle: [], repetitions: 0 };

function toSettings(options: CallWatchOptions): Settings {
  checkNames("call watch", options, OPTION_NAMES);
  const { nudge = 3, halt = 5, maxCycle = 5 } = options;
  checkCount("nudge", nudge, 2);
  checkCount("halt", halt, 2);
  checkCount("maxCycle", maxCycle, 1);
  if (halt < nudge) throw invalidArgument("halt", `must not be smaller than nudge, which is ${nudge}`, halt);
  return { nudge, halt, maxCycle };
}

function toEntry(call: WatchedCall): Entry {
  const { name, json, result } = call ?? {};
  if (typeof name !== "string" || typeof json !== "string" || typeof result !== "string") {
    throw invalidArgument("call", "must be { name, json, result }, each of them a string", call);
  }
  return { name, json, result, canonical: canonicalJson(json) };
}

function judge(entries: readonly Entry[], settings: Settings): CallJudgement {
  const found = findCycle(entries, entries.length, settings);
  if (found === undefined) return NO_CYCLE;
  const { repetitions } = found;
  const cycle = entries.slice(-found.length).map(({ name, json }) => ({ name, json }));
  if (repetitions >= settings.halt) return { verdict: "halt", cycle, repetitions };
  const isKnown = findCycle(entries, entries.length - 1, settings) !== undefined;
  return { verdict: isKnown ? "fine" : "nudge", cycle, repetitions };
}

/** The shortest cycle that calls for a halt, else the shortest that calls for a nudge. */
function findCycle(entries: readonly Entry[], end: number, settings: Settings): Cycle | undefined {
  let found: Cycle | undefined;
  for (let length = 1; length <= settings.maxCycle; length++) {
    const repetitions = countRepetitions(entries, end, length);
    if (repetitions >= settings.halt) return { length, repetitions };
    if (repetitions >= settings.nudge) found ??= { length, repetitions };
  }
  return found;
}

/** How many times the calls before `end` are the same `length` calls over and over. */
function countRepetitions(entries: readonly Entry[], end: number, length: number): number {
  let first = end - 1;
  while (first >= length && isSame(entries[first]!, entries[first - length]!)) first -= 1;
  const repeated = end - 1 - first;
  return Math.floor(repeated / length) + 1;
}

function isSame(one: Entry, other: Entry): boolean {
  return one.name === other.name && one.canonical === other.canonical && one.result === other.result;
}
