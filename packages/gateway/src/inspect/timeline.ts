import type { TerminationReason, TerminationSignal, Usage } from "fullstop";
import type { Paint, Style } from "../colours.ts";
import { fitText } from "../fit.ts";
import { describeSource } from "../sources.ts";
import type { AnswerPart, InspectedAnswer } from "./summary.ts";

/** How a timeline is to look. */
export interface TimelineOptions {
  /** How many columns a line may take. */
  readonly width: number;
  readonly paint: Paint;
}

/** Green is what was wanted, yellow is not all of it, red is a failure. */
const REASON_STYLES: Readonly<Record<TerminationReason, Style>> = {
  natural_completion: "green",
  stop_sequence: "green",
  tool_calls: "green",
  token_limit_reached: "yellow",
  context_window_exceeded: "yellow",
  paused: "yellow",
  repetition_detected: "yellow",
  budget_exceeded: "yellow",
  cancelled: "yellow",
  unknown: "yellow",
  content_filtered: "red",
  error_termination: "red",
};

const INDENT = "  ";
const LABEL_WIDTH = 11;
/** What the answer says is shortened to one line, but what is said about it is wanted whole unless it is absurd. */
const FACT_WIDTH = 500;
/** On a narrower terminal lines wrap, because nothing could be read of what is left. */
const LEAST_WIDTH = 24;

/** One thing that happened: what it was, what was said, and remarks that are kept when that is shortened. */
interface Entry {
  readonly kind: "content" | "fact";
  readonly label: string;
  readonly content: string;
  readonly notes?: readonly string[] | undefined;
  readonly style?: Style | undefined;
}

/** An answer as lines for people: what it is, what it said in order, and at last how it ended. */
export function renderTimeline(answer: InspectedAnswer, { width, paint }: TimelineOptions): readonly string[] {
  const { file, format, size, summary } = answer;
  const { start, parts, sources, usage, signal } = summary;
  const entries: Entry[] = [
    ...describeFact("start", [start?.model, start?.id].filter(Boolean).join(", ")),
    ...parts.map((part) => describePart(part)),
    ...sources.flatMap((source, index) => describeFact(`source ${index + 1}`, describeSource(source))),
    ...describeFact("usage", usage === undefined ? "" : describeUsage(usage)),
    ...describeEnd(signal),
  ];
  const room = Math.max(LEAST_WIDTH, width - INDENT.length - LABEL_WIDTH);
  const lines = entries.map(({ kind, label, content, notes, style }) => {
    const fitted = fitText(content, kind === "fact" ? Math.max(FACT_WIDTH, room) : room, notes);
    const name = paint("dim", label.padEnd(LABEL_WIDTH));
    return `${INDENT}${name}${style === undefined ? fitted : paint(style, fitted)}`;
  });
  // The name of the file is what somebody looks for, so that it is never shortened.
  const dialect = hasMeaning(answer) ? format : `nothing in it was understood, read as ${format}`;
  return [`${paint("bold", fitText(file, Infinity))}  ${dialect}, ${describeSize(size)}`, ...lines];
}

/** Whether anything in an answer meant something in its dialect, which otherwise may be a wrong guess. */
function hasMeaning({ summary: { start, parts, sources, usage, signal } }: InspectedAnswer): boolean {
  return (
    start !== undefined || parts.length + sources.length > 0 || usage !== undefined || signal.detail !== "truncated"
  );
}

function describePart(part: AnswerPart): Entry {
  if (part.type !== "tool-call") return { kind: "content", label: part.type, content: part.text };
  const call: Entry = { kind: "content", label: "tool call", content: `${part.name} ${part.json}`.trimEnd() };
  return part.isComplete ? call : { ...call, notes: ["cut"], style: "red" };
}

/** A fact, or nothing where there is nothing to say. */
function describeFact(label: string, content: string | undefined, style?: Style): readonly Entry[] {
  return content === undefined || content === "" ? [] : [{ kind: "fact", label, content, style }];
}

function describeUsage(usage: Usage): string {
  const input = describeParts([
    [usage.cachedInputTokens, "cached"],
    [usage.cacheWriteTokens, "written to the cache"],
  ]);
  const output = describeParts([[usage.reasoningTokens, "reasoning"]]);
  return `${usage.inputTokens} tokens in${input}, ${usage.outputTokens} out${output}`;
}

function describeParts(parts: readonly (readonly [number | undefined, string])[]): string {
  const known = parts.flatMap(([count, name]) => (count === undefined || count === 0 ? [] : [`${count} ${name}`]));
  return known.length === 0 ? "" : ` (${known.join(", ")})`;
}

function describeEnd(signal: TerminationSignal): readonly Entry[] {
  const { shouldTerminate, reason, confidence, detail, stopSequence, providerSpecific, message } = signal;
  const { originalField, originalValue } = providerSpecific;
  return [
    ...describeFact(shouldTerminate ? "end" : "not ended", reason, REASON_STYLES[reason]),
    ...describeFact("detail", detail),
    ...describeFact("confidence", confidence),
    ...describeFact("told by", `${originalField} ${JSON.stringify(originalValue)}`),
    ...describeFact("matched", stopSequence === undefined ? undefined : JSON.stringify(stopSequence)),
    ...describeFact("message", message),
  ];
}

function describeSize(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}
