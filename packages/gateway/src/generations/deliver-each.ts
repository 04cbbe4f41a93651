import type { GenerationEvent, Take } from "fullstop";

/** Hands over the events of a source that does not do so itself, one by one. */
export async function deliverEach(
  events: AsyncIterable<GenerationEvent>,
  take: Take<readonly GenerationEvent[]>,
): Promise<void> {
  for await (const event of events) {
    const room = take([event]);
    if (room !== undefined) await room;
  }
}
