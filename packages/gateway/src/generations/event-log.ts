import type { FinishEvent, GenerationEvent } from "fullstop";

/** Somebody who reads a log by being called, in the same run in which it is released, and who sets the pace. */
export interface LogReader {
  /** How many events it has dealt with. */
  readonly offset: number;
  /** There are more events, or the log has been closed. It must not throw. */
  advance(): void;
}

/**
 * The events of one generation, in order, from the first to the last. They are written first and released when readers
 * may see them. Any number of readers follow, each from where it likes and as fast as it can.
 */
export class EventLog {
  readonly #events: GenerationEvent[] = [];
  readonly #paced = new Set<Pace>();
  readonly #attached = new Set<LogReader>();
  #released = 0;
  readonly #readers = new Set<() => void>();
  #writer: (() => void) | undefined;
  #isClosed = false;
  #isFree = false;

  /** How many events readers may see. */
  get length(): number {
    return this.#released;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** All that was written, whether or not it was released, but for the finish. */
  written(): readonly GenerationEvent[] {
    // After the end this is only asked for where a store was away: it is told of the finish otherwise.
    return this.#isClosed ? this.#events.slice(0, -1) : this.#events;
  }

  /** The events that readers may see. */
  all(): readonly GenerationEvent[] {
    return this.#released === this.#events.length ? this.#events : this.#events.slice(0, this.#released);
  }

  /** One of the events that readers may see. */
  at(index: number): GenerationEvent | undefined {
    return index < this.#released ? this.#events[index] : undefined;
  }

  append(event: GenerationEvent): void {
    this.#events.push(event);
  }

  /** Lets readers see so many events. */
  release(count: number): void {
    if (count <= this.#released) return;
    this.#released = count;
    this.#wakeReaders();
  }

  /** Ends it with its finish, after so many of the events; those beyond are dropped. */
  close(count: number, finish: FinishEvent): void {
    this.#events.length = count;
    this.#events.push(finish);
    this.#isClosed = true;
    this.release(this.#events.length);
  }

  /**
   * Gives the events from an offset on, in batches of what is there, until the last or until the signal fires. Nobody
   * waits for such a reader.
   */
  async *follow(from: number, signal?: AbortSignal): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    for (let offset = from; ;) {
      if (signal?.aborted === true) {
        return;
      } else if (offset < this.#released) {
        const batch = this.#events.slice(offset, this.#released);
        offset = this.#released;
        yield batch;
      } else if (this.#isClosed) {
        return;
      } else {
        await this.#untilMore(signal);
      }
    }
  }

  /** Calls a reader for whatever is released from now on, and for what is there already. */
  attach(reader: LogReader): void {
    this.#attached.add(reader);
    this.#paced.add(reader);
    reader.advance();
  }

  /** Calls and waits for a reader no more. */
  detach(reader: LogReader): void {
    this.#attached.delete(reader);
    this.#paced.delete(reader);
    this.wakeWriter();
  }

  /** Waits until no reader that sets the pace is more than so many events behind. Undefined where none is. */
  room(mostBehind: number): Promise<void> | undefined {
    return this.#isBehind(mostBehind) ? this.#untilRoom(mostBehind) : undefined;
  }

  /** Tells whoever writes that a reader has got on. */
  wakeWriter(): void {
    this.#writer?.();
    this.#writer = undefined;
  }

  /** Lets whoever writes go on from now on, however far the readers are behind. */
  setFree(): void {
    this.#isFree = true;
    this.wakeWriter();
  }

  #isBehind(mostBehind: number): boolean {
    if (this.#isFree) return false;
    for (const { offset } of this.#paced) if (this.#events.length - offset > mostBehind) return true;
    return false;
  }

  async #untilRoom(mostBehind: number): Promise<void> {
    while (this.#isBehind(mostBehind)) await new Promise<void>((resolve) => (this.#writer = resolve));
  }

  #untilMore(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#readers.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#readers.add(wake);
      signal?.addEventListener("abort", wake);
    });
  }

  #wakeReaders(): void {
    for (const reader of this.#attached) reader.advance();
    for (const wake of this.#readers) wake();
  }
}

interface Pace {
  readonly offset: number;
}
