import type { GenerationEvent } from "../events.ts";
import type { TerminationSignal } from "../termination.ts";
import type { DocumentStore } from "./documents.ts";
import type { StopOrder } from "./order.ts";

/** What is known of a generation from its start on. */
export interface GenerationRecord {
  readonly id: string;
  /** Whose it is: only they, and operators, may see or stop it. */
  readonly owner: string;
  readonly model: string;
  /** Milliseconds since 1970, by the clock of whoever started it. It is shown, and nothing is decided by it. */
  readonly startedAt: number;
  /** The replica that generates it. */
  readonly holder: string;
  /** What the application wants to remember with it, such as the dialect it was asked in. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** A generation as a store tells of it. */
export interface StoredGeneration extends GenerationRecord {
  /** How many events are recorded. */
  readonly events: number;
  /** How it ended; undefined while it runs. */
  readonly signal: TerminationSignal | undefined;
}

/** A generation that has ended, as retention looks at it. */
export interface EndedGeneration {
  readonly id: string;
  /** When it ended, in milliseconds since 1970, by the clock of the store. */
  readonly endedAt: number;
  /** How long ago that was by the same clock, so that whoever asks need not have the same time. */
  readonly ageMilliseconds: number;
  /** About how much room its events take. */
  readonly bytes: number;
}

/**
 * What came of recording something:
 * - `recorded`: it is in the store, now or since an earlier try;
 * - `ended`: the generation has an ending, and this is it; nothing was added;
 * - `behind`: the store holds fewer events than those that came before, because it was away or has forgotten; with 0
 *   events it may not know the generation at all. Nothing was added: open it and append from there.
 */
export type RecordResult =
  | { readonly state: "recorded" }
  | { readonly state: "ended"; readonly signal: TerminationSignal }
  | { readonly state: "behind"; readonly events: number };

/** What is recorded of a generation, by a store that needs nothing and nobody for it. */
export interface ImmediateRecords {
  /** As {@link EventRecords.open}, at once. */
  open(record: GenerationRecord): void;
  /** As {@link EventRecords.append}, at once. */
  append(id: string, offset: number, events: readonly GenerationEvent[]): RecordResult;
  /** As {@link EventRecords.finish}, at once. */
  finish(id: string, signal: TerminationSignal, offset?: number): RecordResult;
}

/** The events of generations, each with exactly one ending. */
export interface EventRecords {
  /**
   * The same as `open`, `append` and `finish` below, where it can be had without waiting: a recorder then releases
   * events in the run in which they come. Only a store in memory has it.
   */
  readonly immediate?: ImmediateRecords | undefined;
  /** Begins the record of a generation. One that is there already stays as it is. */
  open(record: GenerationRecord): Promise<void>;
  /**
   * Records events; `offset` is how many came before them. Events that are there already are not recorded again, so
   * that whoever does not know what has become of a call can make it once more.
   */
  append(id: string, offset: number, events: readonly GenerationEvent[]): Promise<RecordResult>;
  /**
   * Ends a generation by adding its finish. The first ending wins: whoever comes later is told how it ended. Whoever
   * generates it says how many events came before; whoever only finds it abandoned does not know.
   */
  finish(id: string, signal: TerminationSignal, offset?: number): Promise<RecordResult>;
  find(id: string): Promise<StoredGeneration | undefined>;
  /** The events from an offset on, in order; not necessarily all, but at least one if there is one. */
  read(id: string, from: number): Promise<readonly GenerationEvent[]>;
  /** The generations that run, those of one owner or all, the oldest first. */
  live(owner?: string): Promise<readonly GenerationRecord[]>;
  /** The generations that have ended, those that ended first before the others. */
  ended(): Promise<readonly EndedGeneration[]>;
  /** Forgets a generation that has ended. False if there is none. */
  delete(id: string): Promise<boolean>;
  /** Calls back whenever a generation has more events. */
  watch(id: string, changed: Listener): Promise<Unwatch>;
}

/** What people want of generations that somebody else may be generating. */
export interface OrderRecords {
  /** Leaves an order for whoever generates it. */
  order(id: string, order: StopOrder): Promise<"left" | "ended" | "not_found">;
  /** The orders that were left for a generation that runs, the first one first. They may be forgotten when it ends. */
  orders(id: string): Promise<readonly StopOrder[]>;
  /**
   * Calls back with the id of a generation of this holder for which an order was left; without an id where some may
   * have been missed.
   */
  watchOrders(holder: string, ordered: (id: string | undefined) => void): Promise<Unwatch>;
}

/** Which replicas live. Times are counted by the store, so that replicas need not agree on what time it is. */
export interface Leases {
  /** Says that a replica lives, and counts as alive for so long. */
  renew(holder: string, milliseconds: number): Promise<void>;
  /** The running generations whose holder does not count as alive. */
  abandoned(): Promise<readonly GenerationRecord[]>;
}

/**
 * Where generations are recorded, so that they can be read, stopped and found again from elsewhere and later. The
 * promises of a store that cannot be reached are rejected.
 */
export interface GenerationStore extends EventRecords, OrderRecords, Leases {
  /** Lets go of whatever the store holds open. */
  close(): Promise<void>;
}

/** Where generations are recorded and documents are kept. */
export interface Store extends GenerationStore, DocumentStore {}

/** Called when something has changed, or may have. It must not throw. */
export type Listener = () => void;

/** Ends the calls. */
export type Unwatch = () => void;
