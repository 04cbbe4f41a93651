import type { GenerationEvent, TerminationSignal, Usage } from "fullstop";
import type { GenerationPhase, GenerationRecord } from "fullstop/control";
import type { GenerationView } from "./view.ts";

/** A generation as the stop API tells of it. */
export interface GenerationSummary {
  readonly id: string;
  readonly model: string;
  /** The replica that generates it, or did. */
  readonly replica: string;
  readonly startedAt: string;
  /** How many events there are so far, where that is known. */
  readonly events: number | undefined;
  /** The model that answers, as `provider/model`, once one does and where that is known. */
  readonly answeredBy: string | undefined;
  readonly state: "running" | "ended";
  /** What it is doing; `unknown` where another replica generates it. */
  readonly phase: GenerationPhase | "ended" | "unknown";
  readonly signal: TerminationSignal | undefined;
  /** Whose it is, for operators only. */
  readonly owner: string | undefined;
}

/** Says what a generation is doing, without what it has written. What is not known is not in the JSON of it. */
export function summarise(generation: GenerationView | GenerationRecord): GenerationSummary {
  return describe(generation, undefined);
}

/** Says the same to whoever sees everybody's, with whose it is. */
export function summariseForOperators(generation: GenerationView | GenerationRecord): GenerationSummary {
  return describe(generation, generation.owner);
}

/** Always with the same fields in the same order, however little is known: a long list takes half the time so. */
function describe(generation: GenerationView | GenerationRecord, owner: string | undefined): GenerationSummary {
  const { id, model } = generation;
  const startedAt = new Date(generation.startedAt).toISOString();
  if ("holder" in generation) {
    return {
      id,
      model,
      replica: generation.holder,
      startedAt,
      events: undefined,
      answeredBy: undefined,
      state: "running",
      phase: "unknown",
      signal: undefined,
      owner,
    };
  }
  const { replica, phase = "unknown", events, signal, answeredBy } = generation;
  const hasEnded = signal !== undefined;
  return {
    id,
    model,
    replica,
    startedAt,
    events,
    answeredBy,
    state: hasEnded ? "ended" : "running",
    phase: hasEnded ? "ended" : phase,
    signal,
    owner,
  };
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
