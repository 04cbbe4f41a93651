import type { TerminationSignal } from "fullstop";

/** The exit codes of a text that a rule has ended. Far from 1 and 2, which mean that something is wrong. */
const STOP_STRING = 10;
const REPETITION = 11;
const CHARACTERS = 12;
const TIME = 13;
/** What shells report of a program that a signal has ended: 128 and the number of the signal. */
const INTERRUPTED = 130;
const READER_LEFT = 141;
const TERMINATED = 143;

/** The exit codes of `fullstop pipe`, and what they mean. */
export const PIPE_EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "the input has ended by itself"],
  [1, "the input could not be read or the output not be written"],
  [2, "a wrong call"],
  [STOP_STRING, "a stop string has come"],
  [REPETITION, "the text went round in circles"],
  [CHARACTERS, "it has as many characters as it may have"],
  [TIME, "it has taken as long as it may take"],
  [INTERRUPTED, "interrupted by Ctrl-C (SIGINT); what was held back is shown"],
  [READER_LEFT, "nobody reads the output any more"],
  [TERMINATED, "terminated (SIGTERM); what was held back is shown"],
];

/** What has ended a text from outside, as the detail of a signal. */
export type Interruption = "interrupted" | "terminated" | "reader_left";

const BY_INTERRUPTION: Readonly<Record<Interruption, number>> = {
  interrupted: INTERRUPTED,
  terminated: TERMINATED,
  reader_left: READER_LEFT,
};

/** The exit code that stands for the ending of a text. */
export function exitCodeOf({ reason, detail }: TerminationSignal, interruption: Interruption | undefined): number {
  if (interruption !== undefined) return BY_INTERRUPTION[interruption];
  switch (reason) {
    case "natural_completion":
      return 0;
    case "stop_sequence":
      return STOP_STRING;
    case "repetition_detected":
      return REPETITION;
    case "token_limit_reached":
      return CHARACTERS;
    case "budget_exceeded":
      return TIME;
    default:
      throw new Error(`no rule of this command ends a text like this: ${reason} ${detail}`);
  }
}
