import type { GenerationEvent } from "fullstop";
import type { GenerationRecord, StopOrder } from "fullstop/control";

/** How far the record of a running generation is. It is replaced and never changed, so that it can be taken back. */
export interface Progress {
  /** How many events are in chunks. */
  readonly inChunks: number;
  /** The events after them, which are in the journal; no more than `tailLength`, others may have come since. */
  readonly tail: GenerationEvent[];
  readonly tailLength: number;
  readonly tailBytes: number;
  /** The row of the journal that the tail begins in. */
  readonly firstRow: number;
  /** How many bytes all events have as JSON. */
  readonly bytes: number;
}

/** A generation that runs. Its orders are not in the file: they are of no use to whoever opens it after a crash. */
export class RunningGeneration {
  readonly key: number;
  readonly record: GenerationRecord;
  readonly orders: StopOrder[] = [];
  #progress: Progress;

  constructor(key: number, record: GenerationRecord, progress: Partial<Progress> = {}) {
    this.key = key;
    this.record = record;
    this.#progress = { inChunks: 0, tail: [], tailLength: 0, tailBytes: 0, firstRow: 0, bytes: 0, ...progress };
  }

  get progress(): Progress {
    return this.#progress;
  }

  get events(): number {
    return this.#progress.inChunks + this.#progress.tailLength;
  }

  moveTo(progress: Progress): void {
    this.#progress = progress;
  }
}

/**
 * The generations that run, as the file has them: what a transaction changes is taken back if it fails. As no other
 * process has the file, nothing of them has to be looked up in it.
 */
export class RunningGenerations {
  readonly #byId = new Map<string, RunningGeneration>();
  /** Those with a tail, by the row in which it begins. */
  #withTail = new Set<RunningGeneration>();
  readonly #undo: (() => void)[] = [];

  get(id: string): RunningGeneration | undefined {
    return this.#byId.get(id);
  }

  all(): readonly RunningGeneration[] {
    return [...this.#byId.values()];
  }

  /** Those with a tail, the ones whose tail is oldest first. */
  withTail(): Iterable<RunningGeneration> {
    return this.#withTail;
  }

  add(generation: RunningGeneration): void {
    this.#byId.set(generation.record.id, generation);
    this.#undo.push(() => this.#byId.delete(generation.record.id));
  }

  remove(generation: RunningGeneration): void {
    this.#byId.delete(generation.record.id);
    this.#withTail.delete(generation);
    this.#undo.push(() => this.#byId.set(generation.record.id, generation));
  }

  advance(generation: RunningGeneration, progress: Progress): void {
    const before = generation.progress;
    generation.moveTo(progress);
    if (progress.tailLength === 0) this.#withTail.delete(generation);
    else if (before.tailLength === 0) this.#withTail.add(generation);
    this.#undo.push(() => {
      generation.moveTo(before);
      before.tail.length = before.tailLength;
    });
  }

  /** Keeps what has changed since the last time. */
  keepChanges(): void {
    this.#undo.length = 0;
  }

  /** Takes back what has changed since the last time. */
  takeBackChanges(): void {
    for (const undo of this.#undo.toReversed()) undo();
    this.#undo.length = 0;
    const withTail = this.all().filter(({ progress }) => progress.tailLength > 0);
    this.#withTail = new Set(withTail.sort((a, b) => a.progress.firstRow - b.progress.firstRow));
  }
}
