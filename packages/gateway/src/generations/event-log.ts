import type { GenerationEvent } from "fullstop";

/** Somebody who reads a log by being called, in the same run in which it is written, and who sets the pace. */
export interface LogReader {
  /** How many events it has dealt with. */
  readonly offset: number;
  /** There are more events, or the log has been closed. It must not throw. */
  advance(): void;
}

/**
 * The events of one generation, in order, from the first to the last. Any number of readers follow it, each from where
 * it likes and as fast as it can.
 */
export class EventLog {
  readonly #events: GenerationEvent[] = [];
  readonly #paced = new Set<Pace>();
  readonly #attached = new Set<LogReader>();
  #readers: (() => void)[] = [];
  #writer: (() => void) | undefined;
  #isClosed = false;
  #isFree = false;

  get length(): number {
    return this.#events.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** All events so far. */
  all(): readonly GenerationEvent[] {
    return this.#events;
  }

  append(event: GenerationEvent): void {
    this.#events.push(event);
    this.#wakeReaders();
  }

  /** Writes down what has come together, for readers to have it together. */
  appendAll(events: readonly GenerationEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) this.#events.push(event);
    this.#wakeReaders();
  }

  /** Nothing follows. */
  close(): void {
    this.#isClosed = true;
    this.#wakeReaders();
  }

  /**
   * Gives the events from an offset on, in batches of what is there, until the last. A reader that sets the pace is
   * waited for by whoever writes (see {@link room}).
   */
  async *follow(from: number, setsPace: boolean): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    const pace = { offset: from };
    if (setsPace) this.#paced.add(pace);
    try {
      for (let offset = from; ;) {
        if (offset < this.#events.length) {
          const batch = this.#events.slice(offset);
          offset = this.#events.length;
          yield batch;
          pace.offset = offset;
          this.wakeWriter();
        } else if (this.#isClosed) {
          return;
        } else {
          await new Promise<void>((resolve) => this.#readers.push(resolve));
        }
      }
    } finally {
      this.#paced.delete(pace);
      this.wakeWriter();
    }
  }

  /** Calls a reader for whatever is written from now on, and for what is there already. */
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

  #wakeReaders(): void {
    for (const reader of this.#attached) reader.advance();
    if (this.#readers.length === 0) return;
    const readers = this.#readers;
    this.#readers = [];
    for (const wake of readers) wake();
  }
}

interface Pace {
  readonly offset: number;
}
