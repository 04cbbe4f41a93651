import { invalidArgument } from "../errors.ts";
import type { Channel } from "../events.ts";
import { createTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { checkCount, checkFlag, checkNames } from "../check.ts";
import { toChannels } from "./stop-strings.ts";
import type { StopScope } from "./stop-strings.ts";
import type { PeriodProfile } from "./period-detector.ts";
import { DEFAULT_TEXT_PROFILE, DEFAULT_TOKEN_PROFILE, createFixedProfile } from "./repetition-profiles.ts";

/**
 * How loops are recognised. With none of the four lengths given, the default profile weighs the evidence: a
 * sentence counts sooner than a row of dashes. With any of them given, the rule is the plain one: a pattern of
 * `minPatternLength` to `maxPatternLength` that stands `minRepetitions` times in a row at the end of the last
 * `windowSize` symbols.
 */
export interface RepetitionSettings {
  /** Default 10, once any of the four is given. */
  readonly minPatternLength?: number | undefined;
  /** Default 100. */
  readonly maxPatternLength?: number | undefined;
  /** Default 3. */
  readonly minRepetitions?: number | undefined;
  /** Default 1000. */
  readonly windowSize?: number | undefined;
  /** What the lengths count. Default `"characters"`; `"tokens"` needs token ids with every piece. */
  readonly unit?: "characters" | "tokens" | undefined;
  /** Which channels are watched. Default text and reasoning. */
  readonly scope?: StopScope | undefined;
  /**
   * Holds a run back from its second copy on, as soon as it is recognised as a run, and leaves it out of the
   * output if it becomes a loop. Default false. What had been shown before the run was recognised stays; the
   * offset at which one copy ends is in the signal's metadata as `keep`.
   */
  readonly trim?: boolean | undefined;
}

/** Checked settings, shared by any number of generations. */
export interface CompiledRepetition {
  readonly profile: PeriodProfile;
  readonly unit: "characters" | "tokens";
  readonly channels: readonly Channel[];
  readonly trim: boolean;
}

const OPTIONS = {
  minPatternLength: true,
  maxPatternLength: true,
  minRepetitions: true,
  windowSize: true,
  unit: true,
  scope: true,
  trim: true,
} as const satisfies Record<keyof RepetitionSettings, true>;

const LONGEST_WINDOW = 1_000_000;

/** Checks repetition settings; `true` stands for the default profile. */
export function compileRepetition(settings: true | RepetitionSettings): CompiledRepetition {
  if (settings === true) return compileRepetition({});
  checkNames("repetition", settings, OPTIONS);
  const { minPatternLength, maxPatternLength, minRepetitions, windowSize } = settings;
  const { unit = "characters", scope = ["text", "reasoning"], trim = false } = settings;
  checkFlag("repetition trim", trim);
  if (unit !== "characters" && unit !== "tokens") {
    throw invalidArgument("repetition unit", `must be "characters" or "tokens"`, unit);
  }
  if (trim && unit === "tokens") {
    throw invalidArgument("repetition trim", "works on characters only", unit);
  }
  const isPlain = [minPatternLength, maxPatternLength, minRepetitions, windowSize].some((given) => given !== undefined);
  const defaultProfile = unit === "tokens" ? DEFAULT_TOKEN_PROFILE : DEFAULT_TEXT_PROFILE;
  return { profile: isPlain ? createPlainProfile(settings) : defaultProfile, unit, channels: toChannels(scope), trim };
}

function createPlainProfile(settings: RepetitionSettings): PeriodProfile {
  const { minPatternLength = 10, maxPatternLength = 100, minRepetitions = 3, windowSize = 1000 } = settings;
  checkCount("repetition minPatternLength", minPatternLength, 1);
  checkCount("repetition maxPatternLength", maxPatternLength, minPatternLength);
  checkCount("repetition minRepetitions", minRepetitions, 2);
  checkCount("repetition windowSize", windowSize, minPatternLength * minRepetitions);
  if (windowSize > LONGEST_WINDOW) {
    throw invalidArgument("repetition windowSize", `must be at most ${LONGEST_WINDOW}`, windowSize);
  }
  // Longer patterns do not fit the window often enough to count.
  const longest = Math.min(maxPatternLength, Math.floor(windowSize / minRepetitions));
  return createFixedProfile(minPatternLength, longest, minRepetitions, windowSize);
}

/** A loop as it is reported: where the run lies in its channel and what repeats. */
export interface RepetitionReport {
  readonly pattern: string;
  readonly count: number;
  readonly period: number;
  readonly start: number;
  readonly end: number;
  readonly channel: Channel;
  readonly unit: "characters" | "tokens";
}

/** The longest pattern that a message shows whole. */
const SHOWN_PATTERN = 60;

/** The signal of a loop. */
export function repetitionSignal(report: RepetitionReport): TerminationSignal {
  const { pattern, count, period, start, end, channel, unit } = report;
  const shown = (pattern.length <= SHOWN_PATTERN ? pattern : `${pattern.slice(0, SHOWN_PATTERN)}…`).toWellFormed();
  const message = `Repetition detected: ${shown.replaceAll("\n", "\\n")} repeated ${count} times`;
  return createTerminationSignal({
    reason: "repetition_detected",
    originalField: "repetition",
    originalValue: shown,
    message,
    metadata: { channel, unit, start, end, period, count, keep: start + period },
  });
}
