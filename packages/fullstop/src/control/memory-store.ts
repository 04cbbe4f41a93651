import { checkNames } from "../check.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { FinishEvent, GenerationEvent } from "../events.ts";
import type { TerminationSignal } from "../termination.ts";
import { MemoryDocuments } from "./memory-documents.ts";
import { Noticeboard } from "./noticeboard.ts";
import type { StopOrder } from "./order.ts";
import { sizeOf } from "./size.ts";
import type {
  EndedGeneration,
  GenerationRecord,
  ImmediateRecords,
  RecordResult,
  Store,
  StoredGeneration,
  Unwatch,
} from "./store.ts";

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** The time by which replicas count as alive and documents are kept. Default: that of the machine. */
  readonly clock?: Clock | undefined;
}

/** Creates a store that lasts as long as the process. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  checkNames("memory store options", options, { clock: true });
  return new MemoryStore(options.clock ?? systemClock);
}

interface Entry {
  readonly record: GenerationRecord;
  readonly events: GenerationEvent[];
  readonly orders: StopOrder[];
  ending: Ending | undefined;
}

interface Ending {
  readonly signal: TerminationSignal;
  readonly endedAt: number;
  readonly bytes: number;
}

const RECORDED: RecordResult = { state: "recorded" };

class MemoryStore extends MemoryDocuments implements Store {
  readonly immediate: ImmediateRecords = {
    open: (record) => this.#open(record),
    append: (id, offset, events) => this.#append(id, offset, events),
    finish: (id, signal, offset) => this.#finish(id, signal, offset),
  };
  readonly #clock: Clock;
  readonly #running = new Map<string, Entry>();
  /** In the order in which they ended. */
  readonly #ended = new Map<string, Entry>();
  readonly #leases = new Map<string, number>();
  readonly #changes = new Noticeboard<undefined>();
  readonly #orders = new Noticeboard<string>();

  constructor(clock: Clock) {
    super(clock);
    this.#clock = clock;
  }

  async open(record: GenerationRecord): Promise<void> {
    this.#open(record);
  }

  async append(id: string, offset: number, events: readonly GenerationEvent[]): Promise<RecordResult> {
    return this.#append(id, offset, events);
  }

  async finish(id: string, signal: TerminationSignal, offset?: number): Promise<RecordResult> {
    return this.#finish(id, signal, offset);
  }

  async find(id: string): Promise<StoredGeneration | undefined> {
    const entry = this.#entry(id);
    return entry && { ...entry.record, events: entry.events.length, signal: entry.ending?.signal };
  }

  async read(id: string, from: number): Promise<readonly GenerationEvent[]> {
    return this.#entry(id)?.events.slice(from) ?? [];
  }

  async live(owner?: string): Promise<readonly GenerationRecord[]> {
    const all = [...this.#running.values()].map(({ record }) => record);
    const records = owner === undefined ? all : all.filter((record) => record.owner === owner);
    return records.sort((a, b) => a.startedAt - b.startedAt);
  }

  async ended(): Promise<readonly EndedGeneration[]> {
    const now = this.#clock.now();
    return [...this.#ended].map(([id, { ending }]) => {
      const { endedAt = 0, bytes = 0 } = ending ?? {};
      return { id, endedAt, ageMilliseconds: now - endedAt, bytes };
    });
  }

  async delete(id: string): Promise<boolean> {
    return this.#ended.delete(id);
  }

  async watch(id: string, changed: () => void): Promise<Unwatch> {
    return this.#changes.watch(id, changed);
  }

  async order(id: string, order: StopOrder): Promise<"left" | "ended" | "not_found"> {
    const entry = this.#running.get(id);
    if (entry === undefined) return this.#ended.has(id) ? "ended" : "not_found";
    entry.orders.push(order);
    this.#orders.post(entry.record.holder, id);
    return "left";
  }

  async orders(id: string): Promise<readonly StopOrder[]> {
    return [...(this.#entry(id)?.orders ?? [])];
  }

  async watchOrders(holder: string, ordered: (id: string | undefined) => void): Promise<Unwatch> {
    return this.#orders.watch(holder, ordered);
  }

  async renew(holder: string, milliseconds: number): Promise<void> {
    const now = this.#clock.now();
    // Nobody else forgets those who do not come back.
    for (const [other, until] of this.#leases) if (until <= now) this.#leases.delete(other);
    this.#leases.set(holder, now + milliseconds);
  }

  async abandoned(): Promise<readonly GenerationRecord[]> {
    const now = this.#clock.now();
    const records = await this.live();
    return records.filter(({ holder }) => (this.#leases.get(holder) ?? 0) <= now);
  }

  async close(): Promise<void> {
    this.#changes.clear();
    this.#orders.clear();
  }

  #open(record: GenerationRecord): void {
    if (this.#entry(record.id) !== undefined) return;
    this.#running.set(record.id, { record, events: [], orders: [], ending: undefined });
  }

  #append(id: string, offset: number, events: readonly GenerationEvent[]): RecordResult {
    const entry = this.#running.get(id);
    if (entry === undefined || offset > entry.events.length) return this.#refuse(id);
    for (let index = entry.events.length - offset; index < events.length; index += 1) entry.events.push(events[index]!);
    this.#changes.post(id, undefined);
    return RECORDED;
  }

  #finish(id: string, signal: TerminationSignal, offset = 0): RecordResult {
    const entry = this.#running.get(id);
    if (entry === undefined || offset > entry.events.length) return this.#refuse(id);
    entry.events.push({ type: "finish", signal } satisfies FinishEvent);
    // Measured once: retention asks for it again and again.
    entry.ending = { signal, endedAt: this.#clock.now(), bytes: sizeOf(entry.events) };
    this.#running.delete(id);
    this.#ended.set(id, entry);
    this.#changes.post(id, undefined);
    return RECORDED;
  }

  #entry(id: string): Entry | undefined {
    return this.#running.get(id) ?? this.#ended.get(id);
  }

  #refuse(id: string): RecordResult {
    const entry = this.#entry(id);
    if (entry?.ending !== undefined) return { state: "ended", signal: entry.ending.signal };
    return { state: "behind", events: entry?.events.length ?? 0 };
  }
}
