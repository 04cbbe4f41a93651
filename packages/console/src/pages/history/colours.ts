import type { TerminationReason } from "fullstop";
import type { Kind } from "./buckets.ts";

/** Told apart also by those who do not see all colours, and on both backgrounds. */
const COLOURS = ["#5b5bd6", "#12a594", "#e5a50a", "#d6409f", "#3e93de", "#8d8d8d", "#e54d2e", "#7c66dc"];

const GREY = "#8d8d8d";

/** A reason has the same colour whatever else has happened: what is red today is red tomorrow. */
const REASON_COLOURS: Readonly<Record<TerminationReason, string>> = {
  natural_completion: "#12a594",
  stop_sequence: "#3e93de",
  tool_calls: "#7c66dc",
  token_limit_reached: "#e5a50a",
  context_window_exceeded: "#a18072",
  paused: "#7ce2fe",
  repetition_detected: "#d6409f",
  budget_exceeded: "#bdee63",
  cancelled: "#5b5bd6",
  content_filtered: "#8e4ec6",
  error_termination: "#e54d2e",
  unknown: GREY,
};

/** The colour of a reason; grey for one that this page does not know. */
export function colourOfReason(reason: string): string {
  const known: Readonly<Record<string, string>> = REASON_COLOURS;
  return known[reason] ?? GREY;
}

/** Gives each kind a colour by its name's place in the alphabet, which does not change with how often it is counted. */
export function coloursByName(kinds: readonly Kind[]): (name: string) => string {
  const names = kinds.map(({ name }) => name).toSorted();
  return (name) => COLOURS[names.indexOf(name) % COLOURS.length] ?? GREY;
}
