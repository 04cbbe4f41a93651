import type { GenerationEvent, TerminationSignal } from "fullstop";
import { followGeneration } from "fullstop/control";
import type { GenerationPhase, GenerationStore, StoredGeneration } from "fullstop/control";
import { inTime } from "./ask-store.ts";
import { answererOf } from "./ending.ts";
import type { RecordLabels } from "./record-labels.ts";

/** A generation as its readers see it, wherever it runs and whether or not it still does. */
export interface GenerationView {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  /** The replica that generates it, or did. */
  readonly replica: string;
  readonly startedAt: number;
  /** What is kept of its request. */
  readonly labels: RecordLabels;
  /** The model that answers, as `provider/model`, as far as that is known here. */
  readonly answeredBy: string | undefined;
  /** How many events there are so far. */
  readonly events: number;
  /** What it is doing, as far as that is known here. */
  readonly phase: GenerationPhase | undefined;
  /** The text that the stop rules hold back at present, as far as that is known here. */
  readonly held: string;
  /** How it ended, once it has. */
  readonly signal: TerminationSignal | undefined;
  /** All events so far. */
  read(): Promise<readonly GenerationEvent[]>;
  /** The events from an offset on, as they come, in batches, until the last. */
  follow(from: number, signal?: AbortSignal): AsyncIterable<readonly GenerationEvent[]>;
}

/** A generation that a store tells of: one that has ended, or that another replica generates. */
export class StoredView implements GenerationView {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly replica: string;
  readonly startedAt: number;
  readonly labels: RecordLabels;
  readonly answeredBy: string | undefined;
  readonly events: number;
  readonly phase = undefined;
  readonly held = "";
  readonly signal: TerminationSignal | undefined;
  readonly #store: GenerationStore;

  constructor(store: GenerationStore, stored: StoredGeneration) {
    const { id, owner, model, holder, startedAt, labels = {}, events, signal } = stored;
    this.#store = store;
    this.labels = labels;
    this.answeredBy = signal && answererOf(signal);
    this.id = id;
    this.owner = owner;
    this.model = model;
    this.replica = holder;
    this.startedAt = startedAt;
    this.events = events;
    this.signal = signal;
  }

  async read(): Promise<readonly GenerationEvent[]> {
    const events: GenerationEvent[] = [];
    for (;;) {
      const batch = await inTime(this.#store.read(this.id, events.length));
      if (batch.length === 0) return events;
      // One by one: a list of a hundred thousand is more than a call takes as arguments.
      for (const event of batch) events.push(event);
    }
  }

  follow(from: number, signal?: AbortSignal): AsyncIterable<readonly GenerationEvent[]> {
    return followGeneration(this.#store, this.id, { from, signal });
  }
}
