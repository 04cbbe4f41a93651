import { runGeneration } from "../../src/index.ts";
import type { GenerationEvent, Stage, TerminationSignal } from "../../src/index.ts";

/** Pushes events through a stage and collects what comes out, `end` included. */
export function pushThrough(
  stage: Stage<GenerationEvent, GenerationEvent>,
  events: readonly GenerationEvent[],
): GenerationEvent[] {
  const out: GenerationEvent[] = [];
  const sink = stage({ push: (event) => void out.push(event), end: () => undefined });
  for (const event of events) sink.push(event);
  sink.end();
  return out;
}

/** Reads a sealed generation to its end. */
export async function collect(
  source: AsyncIterable<GenerationEvent> | Iterable<GenerationEvent>,
  stage: Stage<GenerationEvent, GenerationEvent> = (next) => next,
  signal?: AbortSignal,
): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for await (const event of runGeneration(source, stage, { signal })) events.push(event);
  return events;
}

/** All the text of one channel. */
export function textOf(events: readonly GenerationEvent[], type: "text" | "reasoning" = "text"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

/** The signal of the last event, which has to be a finish. */
export function finishOf(events: readonly GenerationEvent[]): TerminationSignal {
  const last = events.at(-1);
  if (last?.type !== "finish") throw new Error(`the last event is ${JSON.stringify(last)}, not a finish`);
  return last.signal;
}
