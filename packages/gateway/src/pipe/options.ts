import { FullstopError, defineStopRules } from "fullstop";
import type { StopRules } from "fullstop";
import { parseParameters, readCount } from "../command-line/parse.ts";
import type { CommandDescription, OptionTable } from "../command-line/description.ts";
import { UsageError } from "../command-line/usage-error.ts";
import { quote } from "../printable.ts";
import { PIPE_EXIT_CODES } from "./exit-codes.ts";
import { createStopSearch } from "./stop-search.ts";
import type { StopSearch } from "./stop-search.ts";

/** What `fullstop pipe` was told. */
export interface PipeOptions {
  readonly rules: StopRules;
  /** A quick way to look for the stop strings, where nothing else is looked for. */
  readonly search: StopSearch | undefined;
  /** How long the text may take, also while nothing comes. */
  readonly maxMilliseconds: number | undefined;
  /** How the ending is told on standard error. */
  readonly report: "text" | "json" | "nothing";
}

const OPTIONS = {
  stop: { type: "values", value: "S", help: "ends the text before this string; may be given several times" },
  include: { type: "flag", help: "shows the string that has ended the text" },
  "ignore-case": { type: "flag", help: "lets STOP match stop too" },
  repetition: { type: "flag", help: "ends a text that goes round in circles" },
  trim: { type: "flag", help: "leaves out what such a text repeats, as far as it is not shown yet; with --repetition" },
  "max-characters": { type: "value", value: "N", help: "ends the text after so many characters (UTF-16 code units)" },
  "max-seconds": { type: "value", value: "N", help: "ends the text after so many seconds, such as 2.5" },
  json: { type: "flag", help: "tells the ending as one line of JSON: exitCode, bytesWritten, signal" },
  quiet: { type: "flag", help: "tells the ending by the exit code only" },
} as const satisfies OptionTable;

/** All about `fullstop pipe`. */
export const PIPE: CommandDescription = {
  name: "pipe",
  introduction:
    "Passes standard input on to standard output as it comes, and decides when the text ends. Then it closes the pipe, " +
    "which ends whatever writes into it, and says why on standard error. No character of a stop string, and nothing " +
    "after it, comes out; what could still become one waits until that is decided.",
  options: OPTIONS,
  notes: "The text is UTF-8. Bytes that are none become U+FFFD, the replacement character.",
  examples: [
    "llm 'Write a haiku, then END.' | fullstop pipe --stop END",
    "tail -f answer.txt | fullstop pipe --repetition --max-seconds 60 > kept.txt",
    "some-model | fullstop pipe --stop '</answer>' --json 2> ending.json",
  ],
  exitCodes: PIPE_EXIT_CODES,
};

/** Reads the parameters of `fullstop pipe`. */
export function readPipeOptions(parameters: readonly string[]): PipeOptions | "help" {
  const parsed = parseParameters(PIPE, OPTIONS, parameters);
  if (parsed === "help") return "help";
  const { stop, include, repetition, trim, json, quiet, "ignore-case": caseInsensitive } = parsed.values;
  if (json && quiet) throw new UsageError("--json and --quiet exclude each other");
  if (trim && !repetition) throw new UsageError("--trim needs --repetition");
  const maxCharacters = readCount("--max-characters", parsed.values["max-characters"], 0);
  const maxMilliseconds = readSeconds("--max-seconds", parsed.values["max-seconds"]);
  const rules = {
    stop,
    include,
    caseInsensitive,
    repetition: repetition && { trim },
    maxCharacters,
    maxMilliseconds,
    now: () => performance.now(),
  };
  const hasOthers = caseInsensitive || repetition || maxCharacters !== undefined;
  return {
    rules: compile(rules),
    search: hasOthers ? undefined : createStopSearch(stop),
    maxMilliseconds,
    report: json ? "json" : quiet ? "nothing" : "text",
  };
}

function compile(rules: Parameters<typeof defineStopRules>[0]): StopRules {
  try {
    return defineStopRules(rules);
  } catch (error) {
    if (error instanceof FullstopError) throw new UsageError(`--${error.message}`);
    throw error;
  }
}

/** The longest time that a timer can wait for. */
const MOST_SECONDS = 2_147_483;

function readSeconds(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MOST_SECONDS) return seconds * 1000;
  throw new UsageError(`${name} must be a number of seconds from 0 to ${MOST_SECONDS}, got ${quote(text)}`);
}
