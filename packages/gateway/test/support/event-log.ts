import type { GenerationEvent } from "fullstop";
import { finish } from "fullstop/testing";
import type { EventLog } from "../../src/generations/event-log.ts";

/** Writes events that readers may see at once. */
export function write(log: EventLog, ...events: readonly GenerationEvent[]): void {
  for (const event of events) log.append(event);
  log.release(log.written().length);
}

/** Ends a log after all that was written. */
export function close(log: EventLog): void {
  log.close(log.written().length, finish());
}
