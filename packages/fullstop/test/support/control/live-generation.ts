import { Recorder } from "../../../src/control/index.ts";
import type { EventRecords, RecordedEnding, Replica, StopOrder, Tracker } from "../../../src/control/index.ts";
import { cancelledSignal } from "../../../src/index.ts";
import type { Clock, GenerationEvent, TerminationSignal } from "../../../src/index.ts";

/** Where a generation runs. */
export interface Place {
  readonly store: Pick<EventRecords, "open" | "append" | "finish">;
  readonly replica: Replica;
  readonly tracker: Tracker;
  readonly clock: Clock;
  /** Whether the store can be reached. */
  readonly isReached: () => boolean;
}

/** A generation as a server runs it: its events, recorded, shown to readers, and open to orders from elsewhere. */
export class LiveGeneration {
  readonly id: string;
  /** Fulfilled when the last event is shown. */
  readonly ended: Promise<RecordedEnding>;
  /** How it has ended here, whatever the store says. */
  ownEnding: TerminationSignal | undefined;
  /** The orders that were carried out. */
  readonly orders: StopOrder[] = [];
  readonly #place: Place;
  readonly #recorder: Recorder;
  readonly #events: GenerationEvent[] = [];
  readonly #listeners = new Set<() => void>();
  #shown: readonly GenerationEvent[] = [];
  #calls = 0;
  #hasMissed = false;
  #settle: ((ending: RecordedEnding) => void) | undefined;
  readonly #end: () => void;

  constructor(id: string, place: Place) {
    const { store, replica, tracker, clock } = place;
    this.id = id;
    this.#place = place;
    this.ended = new Promise((resolve) => (this.#settle = resolve));
    // Tracked before anything else, so that whoever stops it early enough is heard.
    const tracked = tracker.start(["chat", id], { id });
    const leave = replica.take(id, (order) => {
      this.orders.push(order);
      if (order.mode === "stop") tracker.stop({ id }, order.reason);
    });
    this.#end = () => {
      leave();
      tracked.end();
    };
    tracked.signal.addEventListener("abort", () => this.finish(cancelledSignal(String(tracked.signal.reason))));
    this.#recorder = new Recorder({
      store: {
        open: (record) => this.#note(store.open(record)),
        append: (of, offset, events) => this.#note(store.append(of, offset, events)),
        finish: (of, signal, offset) => this.#note(store.finish(of, signal, offset)),
      },
      clock,
      record: { id, owner: "alice", model: "pip", startedAt: clock.now(), holder: replica.name },
      events: () => this.#events,
      onRelease: (events) => this.#show(this.#events.slice(0, events)),
      onEnded: () => tracker.stop({ id }, "lost"),
    });
  }

  /** What readers can see. */
  get shown(): readonly GenerationEvent[] {
    return this.#shown;
  }

  /** Whether a call has met a store that was away. Only then may readers have seen what that does not have. */
  get hasMissed(): boolean {
    this.#noteReach();
    return this.#hasMissed;
  }

  /** Calls back whenever there is more to see. */
  onShown(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  write(event: GenerationEvent): void {
    if (this.ownEnding !== undefined) return;
    this.#events.push(event);
    this.#recorder.advance();
  }

  finish(signal: TerminationSignal): void {
    if (this.ownEnding !== undefined) return;
    this.ownEnding = signal;
    void this.#recorder.finish(signal).then((ending) => {
      this.#show([...this.#events.slice(0, ending.events), { type: "finish", signal: ending.signal }]);
      this.#end();
      this.#settle?.(ending);
      return ending;
    });
  }

  async #note<T>(call: Promise<T>): Promise<T> {
    this.#calls += 1;
    this.#noteReach();
    try {
      return await call;
    } finally {
      this.#noteReach();
      this.#calls -= 1;
    }
  }

  #noteReach(): void {
    if (this.#calls > 0 && !this.#place.isReached()) this.#hasMissed = true;
  }

  #show(events: readonly GenerationEvent[]): void {
    this.#shown = events;
    for (const listener of this.#listeners) listener();
  }
}
