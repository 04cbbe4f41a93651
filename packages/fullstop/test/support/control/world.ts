import { setImmediate } from "node:timers/promises";
import type { StopOrder } from "../../../src/control/index.ts";
import type { GenerationEvent, TerminationSignal } from "../../../src/index.ts";
import { createMovingClock } from "../moving-clock.ts";
import type { Lags, LinkState } from "./link.ts";
import type { LiveGeneration } from "./live-generation.ts";
import { Server } from "./server.ts";
import { SharedStore } from "./shared-store.ts";

/** The lease of the servers in a {@link World}. */
export const LEASE = 4_000;

/** What is expected of a generation, by what has happened to it. */
export interface Expected {
  readonly id: string;
  readonly server: Server;
  readonly live: LiveGeneration;
  readonly written: GenerationEvent[];
  /** Orders that the store has acknowledged and not forgotten since. */
  acknowledged: StopOrder[];
  /** Whether its server could not reach the store while another one could, or the store has lost its data twice. */
  mayBeLost: boolean;
  /** Whether somebody may have deleted it, or the store has forgotten it when nobody was there to tell it again. */
  mayBeGone: boolean;
  /** Whether the store has lost its data since it was started. */
  isForgotten: boolean;
  /** The ending that the store had at the last look. */
  ending: TerminationSignal | undefined;
}

/** Somebody who reads a generation, now here and now there. */
export interface Reader {
  readonly of: Expected;
  readonly seen: GenerationEvent[];
  leave: AbortController;
  state: "reading" | "done" | "cut off";
  server: Server;
}

/** Several servers with one store, everything that can happen to them, and what that has to lead to. */
export class World {
  readonly clock = createMovingClock();
  readonly shared = new SharedStore(this.clock);
  readonly servers: Server[] = [];
  readonly expected: Expected[] = [];
  readonly readers: Reader[] = [];
  readonly crashed = new Set<Server>();
  /** What was wrong, as it was noticed within callbacks. */
  readonly faults: string[] = [];
  readonly #lags: Lags;
  #orders = 0;
  #forgottenAt = -Infinity;

  constructor(lags: Lags) {
    this.#lags = lags;
  }

  async settle(): Promise<void> {
    await setImmediate();
  }

  async addServer(): Promise<void> {
    const number = this.servers.length;
    const starting = Server.start({
      name: `server-${number}`,
      shared: this.shared,
      clock: this.clock,
      leaseMilliseconds: LEASE,
      lags: this.#lags,
      skewMilliseconds: (number % 3) * 3_600_000,
    });
    await this.clock.advance(100);
    this.servers.push(await starting);
    this.#noteReach();
  }

  isAlive(server: Server): boolean {
    return !this.crashed.has(server);
  }

  alive(): readonly Server[] {
    return this.servers.filter((server) => this.isAlive(server));
  }

  start(server: Server): void {
    const id = `g${this.expected.length}`;
    const live = server.generate(id);
    const expected: Expected = {
      id,
      server,
      live,
      written: [],
      acknowledged: [],
      mayBeLost: false,
      mayBeGone: false,
      isForgotten: false,
      ending: undefined,
    };
    this.expected.push(expected);
    this.#noteReach();
    this.write(expected, 1);
  }

  write({ id, live, written }: Expected, count: number): void {
    for (let index = 0; index < count && live.ownEnding === undefined; index += 1) {
      const event: GenerationEvent = { type: "text", text: `${id}.${written.length}` };
      written.push(event);
      live.write(event);
    }
  }

  /** Orders something at any server: where the generation runs at once, elsewhere by way of the store. */
  order(expected: Expected, at: Server, mode: "stop" | "skip-thinking"): void {
    this.#orders += 1;
    const order: StopOrder = { mode, reason: `order ${this.#orders}` };
    if (at === expected.server && mode === "stop") {
      at.tracker.stop({ id: expected.id }, order.reason);
      return;
    }
    const data = this.shared.data;
    at.link.store.order(expected.id, order).then(
      // What it has forgotten before it could say that it has it is not promised.
      (outcome) => outcome === "left" && data === this.shared.data && expected.acknowledged.push(order),
      () => undefined,
    );
  }

  delete(expected: Expected, at: Server): void {
    if (expected.ending === undefined) return;
    expected.mayBeGone = true;
    at.link.store.delete(expected.id).catch(() => undefined);
  }

  crash(server: Server): void {
    this.crashed.add(server);
    server.crash();
    for (const reader of this.readers) if (reader.server === server && reader.state === "reading") cutOff(reader);
  }

  setLinks(servers: readonly Server[], state: LinkState): void {
    for (const { link } of servers) link.set(state);
    this.#noteReach();
  }

  /** Notes who cannot reach the store, and who may seem to be gone for that. */
  #noteReach(): void {
    const isReached = this.alive().some(({ link }) => link.state === "up");
    for (const expected of this.expected) {
      const { state: own } = expected.server.link;
      // Asked for now, as a call that is under way now may be over at the next look.
      void expected.live.hasMissed;
      if (own !== "up" && own !== "deaf" && isReached) expected.mayBeLost = true;
    }
  }

  async forget(): Promise<void> {
    await this.shared.forget();
    // With its data a store forgets who lives. Whoever says so once in a tick may seem to be gone at looks that lie
    // around two such losses, and only with a lease between them are these too far apart.
    const isOnceMore = this.clock.now() - this.#forgottenAt < LEASE;
    this.#forgottenAt = this.clock.now();
    for (const expected of this.expected) {
      if (isOnceMore) expected.mayBeLost = true;
      const isRunning = expected.server.generations.has(expected.id) && this.isAlive(expected.server);
      if (!isRunning || expected.ending !== undefined) expected.mayBeGone = true;
      expected.isForgotten = true;
      expected.acknowledged = [];
      expected.ending = undefined;
    }
  }

  read(of: Expected, server: Server): void {
    const reader: Reader = { of, seen: [], leave: new AbortController(), state: "cut off", server };
    this.readers.push(reader);
    this.resume(reader, server);
  }

  /** Goes on reading at a server, wherever that was before. */
  resume(reader: Reader, server: Server): void {
    if (reader.seen.at(-1)?.type === "finish") return;
    cutOff(reader);
    const leave = new AbortController();
    Object.assign(reader, { leave, server, state: "reading" });
    const { of, seen } = reader;
    const from = seen.length;
    const see = (events: readonly GenerationEvent[]): void => {
      if (leave.signal.aborted) this.faults.push(`${of.id}: read by somebody who has left`);
      else seen.push(...events);
    };
    const stop = (state: Reader["state"]) => (): void => {
      if (leave.signal.aborted) return;
      reader.state = state;
      const isCut = state === "done" && seen.length > from && seen.at(-1)?.type !== "finish";
      if (isCut && !of.mayBeGone && !of.isForgotten) this.faults.push(`${of.id}: a reader was left without the end`);
    };
    server.read(of.id, from, leave.signal, see).then(stop("done"), stop("cut off"));
  }
}

function cutOff(reader: Reader): void {
  reader.leave.abort();
  reader.state = "cut off";
}
