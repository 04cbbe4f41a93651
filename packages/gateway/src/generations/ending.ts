import type { TerminationSignal } from "fullstop";
import { CHARACTERS_PER_TOKEN } from "fullstop/engines";
import type { WireWarning } from "fullstop/wire";

/** What a provider has generated, and has to be paid for, but nobody was shown. */
interface Unshown {
  readonly characters: number;
  readonly estimatedTokens: number;
}

/**
 * How a generation ended, with what the gateway alone knows about it. It stands in the `fullstop` field of an answer,
 * in the last event and in the receipt of a stop.
 */
export interface GenerationEnding extends TerminationSignal {
  /** The model that answered, as `provider/model`: another one than was asked for where that has failed. */
  readonly answeredBy?: string;
  /** What of the request was not understood, or could not be said to the provider. */
  readonly warnings?: readonly WireWarning[];
  /** What had come from the provider when the gateway ended the answer, and was not passed on. */
  readonly unshown?: Unshown;
  /** True if somebody had the thinking skipped. */
  readonly skippedThinking?: true;
  /** How long it took from the order of whoever stopped it to its end. */
  readonly stopMilliseconds?: number;
}

/** What is known beside the signal. */
export interface EndingNotes {
  readonly warnings: readonly WireWarning[];
  readonly unshownCharacters: number;
  readonly isThinkingSkipped: boolean;
  /** How long ago somebody has asked for the end; undefined if nobody has. */
  readonly sinceOrder: number | undefined;
  /** The model that has said something; undefined if none has. */
  readonly answeredBy: string | undefined;
}

/** A long conversation can have the same thing in each of its messages; more warnings than these help nobody. */
const MOST_WARNINGS = 20;

/** Puts what the gateway knows beside a signal. A field that has nothing to say is absent. */
export function describeEnding(signal: TerminationSignal, notes: EndingNotes): GenerationEnding {
  const { warnings, unshownCharacters: characters, isThinkingSkipped, sinceOrder, answeredBy } = notes;
  const { reason, ...others } = signal;
  // An order that came too late has ended nothing.
  const stopMilliseconds = reason === "cancelled" ? sinceOrder : undefined;
  return {
    reason,
    ...others,
    ...(answeredBy !== undefined && { answeredBy }),
    ...(warnings.length > 0 && { warnings: firstOf(warnings) }),
    ...(characters > 0 && {
      unshown: { characters, estimatedTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN) },
    }),
    ...(isThinkingSkipped && { skippedThinking: true }),
    ...(stopMilliseconds !== undefined && { stopMilliseconds: Math.ceil(stopMilliseconds) }),
  };
}

/** The model that gave an answer, where the signal of its end says it. */
export function answererOf(signal: TerminationSignal): string | undefined {
  return "answeredBy" in signal && typeof signal.answeredBy === "string" ? signal.answeredBy : undefined;
}

function firstOf(warnings: readonly WireWarning[]): readonly WireWarning[] {
  if (warnings.length <= MOST_WARNINGS) return warnings;
  const rest = { field: "", message: `There are ${warnings.length - MOST_WARNINGS} more warnings.` };
  return [...warnings.slice(0, MOST_WARNINGS), rest];
}
