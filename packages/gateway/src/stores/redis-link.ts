import { setTimeout as wait } from "node:timers/promises";
import { ClientClosedError, ClientOfflineError, DisconnectsClientError, ErrorReply } from "@redis/client";
import { messageOf } from "../message-of.ts";
import { hideSecrets } from "./redis-address.ts";
import type { RedisAddress } from "./redis-address.ts";
import { connectToCluster } from "./redis-cluster.ts";
import { NotConnectedError, connectToServer } from "./redis-connections.ts";
import type { RedisConnection, RedisConnectionEvents, RedisConnections, RedisListener } from "./redis-connections.ts";
import { Deadline, SilenceError } from "./redis-deadline.ts";
import type { RedisScript } from "./redis-scripts.ts";

/** The errors that say no more than that there is no connection. */
const OFFLINE = [ClientClosedError, ClientOfflineError, DisconnectsClientError, NotConnectedError] as const;

/** What a server says of writes that is the replica of another one, also of those in scripts. */
const READ_ONLY = /\bREADONLY\b/u;

/** How long to stay with such a server before it is left again: what can be read there is better than nothing. */
const STAY_MILLISECONDS = 5_000;

/** What a {@link RedisLink} needs to know. */
export interface RedisLinkOptions {
  /** One server, or some of a cluster. */
  readonly addresses: readonly [RedisAddress, ...RedisAddress[]];
  readonly isCluster: boolean;
  /** A channel on which nobody says anything. */
  readonly quietChannel: string;
  /** How long anything may take before it is rejected. */
  readonly timeoutMilliseconds: number;
  /** Messages may have been missed, and from here on none are. */
  readonly onListening: () => void;
  /** Told of what goes wrong, once for as long as it does. */
  readonly onError: (error: Error) => void;
}

/**
 * The way to Redis. Whatever is asked of it is answered or rejected within its time, whether the server is gone, silent
 * or slow, and when the server is back it works again.
 */
export class RedisLink {
  readonly #connections: RedisConnections;
  readonly #deadline: Deadline;
  readonly #options: RedisLinkOptions;
  readonly #shown: string;
  readonly #secrets: readonly string[];
  /** What went wrong since all was well, so that every try to connect does not say so again. */
  readonly #reported = new Set<string>();
  #lastFailure = "not connected yet";
  #isChecking = false;
  #leaveAt = 0;
  #isClosed = false;
  /** Settles with the first news, good or bad. */
  readonly opened: Promise<void>;
  #settleOpened: (() => void) | undefined;

  constructor(options: RedisLinkOptions) {
    const { addresses, isCluster, timeoutMilliseconds, quietChannel } = options;
    this.#options = options;
    this.#shown = addresses.map(({ shown }) => shown).join(", ");
    this.#secrets = addresses.flatMap(({ secrets }) => secrets);
    this.#deadline = new Deadline(
      timeoutMilliseconds,
      (error) => this.#fail(error),
      () => void this.#dropSilent(),
    );
    this.opened = new Promise((resolve) => (this.#settleOpened = resolve));
    const events: RedisConnectionEvents = {
      onListening: () => this.#listen(),
      onError: (error) => {
        this.#report(error);
        this.#settleOpened?.();
      },
    };
    this.#connections = isCluster
      ? connectToCluster({ roots: addresses, timeoutMilliseconds, quietChannel }, events)
      : connectToServer(addresses[0], timeoutMilliseconds, events);
    // The connections go on trying; only closing them ends that, with a rejection.
    this.#connections.connected.then(() => this.#settleOpened?.(), events.onError);
  }

  /** Sends a command to where a key lives. */
  send<Reply>(key: string, command: readonly string[]): Promise<Reply> {
    return this.#deadline.within(this.#connections.send<Reply>(key, command));
  }

  /** Runs a script where its keys live. A server that does not know it, as after a restart, is told. */
  async run<Reply>(
    script: RedisScript,
    keys: readonly [string, ...string[]],
    values: readonly string[],
  ): Promise<Reply> {
    const [key] = keys;
    const parameters = [String(keys.length), ...keys, ...values];
    try {
      return await this.send<Reply>(key, ["EVALSHA", script.sha, ...parameters]);
    } catch (error) {
      if (!messageOf(error).startsWith("NOSCRIPT")) throw error;
      return this.send<Reply>(key, ["EVAL", script.source, ...parameters]);
    }
  }

  subscribe(channel: string, listener: RedisListener): Promise<void> {
    return this.#deadline.within(this.#connections.subscribe(channel, listener));
  }

  /** Ends a subscription. One that cannot be ended has no effect but that messages come that nobody hears. */
  async unsubscribe(channel: string, listener: RedisListener): Promise<void> {
    try {
      await this.#connections.unsubscribe(channel, listener);
    } catch (error) {
      this.#report(error);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await this.#deadline.within(this.#connections.close());
    } catch {
      // What is not answered now never will be.
      this.#connections.destroy();
    }
  }

  /** Does what has to be done about a failure, and says what is the matter. */
  #fail(error: unknown): Error {
    if (error instanceof ErrorReply && READ_ONLY.test(error.message)) this.#leaveReplica();
    return this.#explain(error);
  }

  /** Says what is the matter: the library's own words are those of a client that is offline. */
  #explain(error: unknown): Error {
    if (error instanceof ErrorReply) return hideSecrets(error, this.#secrets);
    if (this.#isClosed) return new Error("The store is closed");
    const isOffline = OFFLINE.some((kind) => error instanceof kind);
    const reason = isOffline ? this.#lastFailure : hideSecrets(error, this.#secrets).message;
    return new Error(`Redis at ${this.#shown} cannot be reached: ${reason}`);
  }

  #report(error: unknown): void {
    if (this.#isClosed) return;
    const shown = hideSecrets(error, this.#secrets);
    this.#lastFailure = shown.message;
    if (this.#reported.has(shown.message)) return;
    this.#reported.add(shown.message);
    this.#options.onError(shown);
  }

  #listen(): void {
    this.#reported.clear();
    this.#options.onListening();
  }

  /** Hangs up where nobody answers any more, which ends the wait of all others there, and connects again. */
  async #dropSilent(): Promise<void> {
    if (this.#isChecking || this.#isClosed) return;
    this.#isChecking = true;
    await Promise.all(this.#connections.open().map((connection) => this.#drop(connection)));
    this.#isChecking = false;
  }

  async #drop(connection: RedisConnection): Promise<void> {
    if (!connection.isReady) return;
    const isAlive = await Promise.race([
      connection.sendCommand(["PING"]).then(
        () => true,
        // Lost by itself: it is coming back already.
        () => true,
      ),
      wait(this.#options.timeoutMilliseconds, false, { ref: false }),
    ]);
    if (isAlive || this.#isClosed) return;
    this.#report(new SilenceError(this.#options.timeoutMilliseconds));
    this.#reconnect(connection);
  }

  /**
   * Hangs up on a server that takes nothing any more because another one has taken its place, and connects again: after
   * such a change the address leads to that one. The old connections would stay where they are for good.
   */
  #leaveReplica(): void {
    const now = performance.now();
    if (this.#isClosed || now < this.#leaveAt) return;
    this.#leaveAt = now + STAY_MILLISECONDS;
    for (const connection of this.#connections.open()) if (connection.isReady) this.#reconnect(connection);
  }

  #reconnect(connection: RedisConnection): void {
    connection.destroy();
    connection.connect().catch((error: unknown) => this.#report(error));
  }
}
