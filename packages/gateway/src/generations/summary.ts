import type { TerminationSignal, Usage } from "fullstop";
import type { LiveGeneration } from "./live-generation.ts";
import { phaseOf } from "./phase.ts";
import type { Phase } from "./phase.ts";

/** A generation as the stop API tells of it. */
export interface GenerationSummary {
  readonly id: string;
  readonly model: string;
  readonly state: "running" | "ended";
  readonly phase: Phase | "ended";
  readonly startedAt: string;
  /** How many events there are so far. */
  readonly events: number;
  readonly signal?: TerminationSignal;
}

/** Says what a generation is doing, without what it has written. */
export function summarise(generation: LiveGeneration): GenerationSummary {
  const { id, model, startedAt, log, signal } = generation;
  return {
    id,
    model,
    state: signal === undefined ? "running" : "ended",
    phase: signal === undefined ? phaseOf(log.all()) : "ended",
    startedAt: new Date(startedAt).toISOString(),
    events: log.length,
    ...(signal !== undefined && { signal }),
  };
}

/** What was generated so far. */
export interface GeneratedSoFar {
  readonly text: string;
  readonly reasoning: string;
  readonly usage: Usage | null;
}

/** Puts together what a generation has written. */
export function soFar({ log }: LiveGeneration): GeneratedSoFar {
  let text = "";
  let reasoning = "";
  let usage: Usage | null = null;
  for (const event of log.all()) {
    if (event.type === "text") text += event.text;
    else if (event.type === "reasoning") reasoning += event.text;
    else if (event.type === "usage") usage = event.usage;
  }
  return { text, reasoning, usage };
}
