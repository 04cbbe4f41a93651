import type { PastGeneration } from "../../api/generations.ts";

/** A figure with what it is. */
export interface Figure {
  readonly label: string;
  readonly value: string;
}

/** The endings by which a rule or a person has ended what would have gone on. */
const EARLY: ReadonlySet<string> = new Set(["stop_sequence", "repetition_detected", "budget_exceeded", "cancelled"]);

/** What can be said about many generations in a few figures. */
export function figuresOf(generations: readonly PastGeneration[]): readonly Figure[] {
  const early = generations.filter(({ signal }) => EARLY.has(signal.reason));
  const stops = generations.flatMap(({ signal }) => signal.stopMilliseconds ?? []);
  const failed = generations.filter(({ signal }) => signal.reason === "error_termination").length;
  const tokens = generations.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0);
  const seconds = generations.map((each) => (Date.parse(each.endedAt) - Date.parse(each.startedAt)) / 1000);
  return [
    { label: "Ended", value: String(generations.length) },
    { label: "Stopped early", value: shareOf(early.length, generations.length) },
    { label: "Failed", value: shareOf(failed, generations.length) },
    { label: "Tokens written", value: tokens.toLocaleString("en") },
    { label: "Tokens saved, at most", value: savedBy(early).toLocaleString("en") },
    { label: "Seconds, median", value: medianOf(seconds).toFixed(1) },
    { label: "Stop took, median", value: stops.length === 0 ? "–" : `${medianOf(stops)} ms` },
  ];
}

/** How many more tokens there could have been up to the limits that were given. Where none was, nobody knows. */
function savedBy(early: readonly PastGeneration[]): number {
  return early.reduce((sum, { maxOutputTokens, usage }) => {
    if (maxOutputTokens === undefined || usage === null) return sum;
    return sum + Math.max(0, maxOutputTokens - usage.outputTokens);
  }, 0);
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? "0" : `${part} (${Math.round((part / whole) * 100)} %)`;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
