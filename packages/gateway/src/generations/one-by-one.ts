import type { GenerationEvent } from "fullstop";

/** The events of a source that has no batches, each as one of its own. */
export async function* oneByOne(events: AsyncIterable<GenerationEvent>): AsyncGenerator<readonly GenerationEvent[]> {
  for await (const event of events) yield [event];
}
