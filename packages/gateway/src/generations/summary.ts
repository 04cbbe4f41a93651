import type { GenerationEvent, TerminationSignal, Usage } from "fullstop";
import type { GenerationPhase, GenerationRecord } from "fullstop/control";
import type { GenerationView } from "./view.ts";

/** A generation as the stop API tells of it. */
export interface GenerationSummary {
  readonly id: string;
  readonly model: string;
  /** Whose it is, for operators only. */
  readonly owner?: string;
  /** The replica that generates it, or did. */
  readonly replica: string;
  readonly state: "running" | "ended";
  /** What it is doing; `unknown` where another replica generates it. */
  readonly phase: GenerationPhase | "ended" | "unknown";
  readonly startedAt: string;
  /** The model that answers, as `provider/model`, once one does and where that is known. */
  readonly answeredBy?: string;
  /** How many events there are so far, where that is known. */
  readonly events?: number;
  readonly signal?: TerminationSignal;
}

/** Says what a generation is doing, without what it has written. */
export function summarise(generation: GenerationView | GenerationRecord): GenerationSummary {
  const { id, model, startedAt } = generation;
  const began = new Date(startedAt).toISOString();
  if ("holder" in generation) {
    return { id, model, replica: generation.holder, state: "running", phase: "unknown", startedAt: began };
  }
  const { replica, phase = "unknown", events, signal, answeredBy } = generation;
  const common = { id, model, replica, startedAt: began, events, ...(answeredBy !== undefined && { answeredBy }) };
  if (signal === undefined) return { ...common, state: "running", phase };
  return { ...common, state: "ended", phase: "ended", signal };
}

/** Says the same to whoever sees everybody's, with whose it is. */
export function summariseForOperators(generation: GenerationView | GenerationRecord): GenerationSummary {
  return { ...summarise(generation), owner: generation.owner };
}

/** What was generated so far. */
export interface GeneratedSoFar {
  readonly text: string;
  readonly reasoning: string;
  readonly usage: Usage | null;
}

/** Puts together what a generation has written. */
export function soFar(events: readonly GenerationEvent[]): GeneratedSoFar {
  let text = "";
  let reasoning = "";
  let usage: Usage | null = null;
  for (const event of events) {
    if (event.type === "text") text += event.text;
    else if (event.type === "reasoning") reasoning += event.text;
    else if (event.type === "usage") usage = event.usage;
  }
  return { text, reasoning, usage };
}
