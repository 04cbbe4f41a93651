import { Noticeboard } from "fullstop/control";
import type { Unwatch } from "fullstop/control";
import type { RedisLink } from "./redis-link.ts";

/** How long a generation counts as watched without the watcher saying so again, and how often it does. */
const MARK_MILLISECONDS = 60_000;
const RENEWAL_MILLISECONDS = 20_000;

interface Subscription {
  readonly marking: Marking;
  readonly begun: Promise<unknown>;
  watchers: number;
}

/** Whether there is a key of the channel's name while it is watched, which says that it is worth while to send messages. */
export type Marking = "marked" | "unmarked";

/** Passes on the messages of channels to whoever watches them, one subscription for all watchers of a channel. */
export class RedisNotices {
  readonly #link: RedisLink;
  readonly #board = new Noticeboard<string | undefined>();
  readonly #subscriptions = new Map<string, Subscription>();
  #renewal: NodeJS.Timeout | undefined;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  /** Calls back with every message of a channel, and with nothing where some may have been missed. */
  async watch(channel: string, noticed: (message: string | undefined) => void, marking: Marking): Promise<Unwatch> {
    this.#renewal ??= setInterval(() => this.#renew(), RENEWAL_MILLISECONDS).unref();
    const unwatch = this.#board.watch(channel, noticed);
    const subscription = this.#subscriptions.get(channel) ?? this.#subscribe(channel, marking);
    subscription.watchers += 1;
    const leave = once(() => {
      unwatch();
      subscription.watchers -= 1;
      if (subscription.watchers > 0) return;
      if (this.#subscriptions.get(channel) === subscription) this.#subscriptions.delete(channel);
      void this.#link.unsubscribe(channel, this.#hear);
    });
    try {
      await subscription.begun;
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Calls all watchers, because messages may have been missed. */
  callAll(): void {
    this.#renew();
    for (const channel of this.#board.topics()) this.#board.post(channel, undefined);
  }

  close(): void {
    clearInterval(this.#renewal);
    this.#subscriptions.clear();
    this.#board.clear();
  }

  #subscribe(channel: string, marking: Marking): Subscription {
    const begun = Promise.all([this.#link.subscribe(channel, this.#hear), this.#mark(channel, marking)]);
    const subscription: Subscription = { marking, begun, watchers: 0 };
    this.#subscriptions.set(channel, subscription);
    return subscription;
  }

  readonly #hear = (message: string | Buffer, channel: string | Buffer): void =>
    this.#board.post(String(channel), String(message));

  #renew(): void {
    for (const [channel, { marking }] of this.#subscriptions) {
      // Without a connection there are no messages either; when it is back, this is done again.
      this.#mark(channel, marking).catch(() => undefined);
    }
  }

  async #mark(key: string, marking: Marking): Promise<void> {
    if (marking === "marked") await this.#link.send(key, ["SET", key, "1", "PX", String(MARK_MILLISECONDS)]);
  }
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}
