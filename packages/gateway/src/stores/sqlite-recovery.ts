import { truncatedSignal } from "fullstop";
import type { GenerationEvent } from "fullstop";
import { RunningGeneration } from "./sqlite-running.ts";
import type { Statements } from "./sqlite-statements.ts";
import type { EventWriter } from "./sqlite-writer.ts";
import { StoreDamage } from "./stored-values.ts";

/** Ends what a process that has gone has left unfinished, with everything that it had recorded of it. */
export function endInterrupted(statements: Statements, writer: EventWriter, endedAt: number): void {
  const interrupted = statements.unfinished().map(({ key, record }) => {
    const chunks = statements.chunksOf(key);
    const tail: GenerationEvent[] = [];
    return { key, record, chunks, tail };
  });
  const byKey = new Map(interrupted.map((each) => [each.key, each]));
  for (const [key, offset, events] of statements.journal()) {
    const each = byKey.get(key);
    if (each === undefined) continue;
    // What has become a chunk since is there already.
    const known = each.chunks.events + each.tail.length - offset;
    if (known >= 0) each.tail.push(...events.slice(known));
  }
  const signal = truncatedSignal();
  for (const { key, record, chunks, tail } of interrupted) {
    const bytes = chunks.bytes + Buffer.byteLength(JSON.stringify(tail));
    const progress = { inChunks: chunks.events, tail, tailLength: tail.length, bytes };
    try {
      writer.end(
        new RunningGeneration(key, record, progress),
        { type: "finish", signal },
        JSON.stringify(signal),
        endedAt,
      );
    } catch (error) {
      throw isConstraint(error) ? new StoreDamage("a piece of an answer") : error;
    }
  }
  statements.trimJournal(Number.MAX_SAFE_INTEGER);
}

/** Whether something was to be written where something is already. */
function isConstraint(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_CONSTRAINT");
}
