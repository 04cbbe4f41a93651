import { createClient } from "@redis/client";
import type { RedisClientOptions } from "@redis/client";
import type { RedisAddress } from "./redis-address.ts";

/** One connection of node-redis, as far as it is looked after here. */
export interface RedisConnection {
  readonly isReady: boolean;
  sendCommand(command: readonly string[]): Promise<unknown>;
  destroy(): void;
  connect(): Promise<unknown>;
}

/** The connections to a server or to a cluster of them. They come back by themselves when they are lost. */
export interface RedisConnections {
  /** Settles when there is a connection for the first time. */
  readonly connected: Promise<void>;
  /** Sends a command to where a key lives. Rejected at once if there is no connection. */
  send<Reply>(key: string, command: readonly string[]): Promise<Reply>;
  subscribe(channel: string, listener: RedisListener): Promise<void>;
  unsubscribe(channel: string, listener: RedisListener): Promise<void>;
  /** The connections that there are just now. */
  open(): readonly RedisConnection[];
  /** Ends the connections when what was sent is answered. */
  close(): Promise<void>;
  /** Ends the connections now. */
  destroy(): void;
}

/** Called with every message of a channel. */
export type RedisListener = (message: string | Buffer, channel: string | Buffer) => void;

/** What {@link RedisConnections} tell. */
export interface RedisConnectionEvents {
  /** Messages may have been missed; from here on none are, and what was missed can be asked for. */
  readonly onListening: () => void;
  readonly onError: (error: unknown) => void;
}

/** Rejected with where there is no connection. */
export class NotConnectedError extends Error {
  constructor() {
    super("not connected");
    this.name = "NotConnectedError";
  }
}

/** The wait before the first try to connect again, which doubles, and the longest one. */
const FIRST_WAIT_MILLISECONDS = 25;
const LONGEST_WAIT_MILLISECONDS = 1_000;

/** How long to wait before the next try to connect. */
export function waitBeforeRetry(tries: number): number {
  const wait = Math.min(FIRST_WAIT_MILLISECONDS * 2 ** tries, LONGEST_WAIT_MILLISECONDS);
  // Spread, so that replicas do not all come at once when a server is back.
  return Math.round(wait * (0.75 + Math.random() / 2));
}

/** What all connections have in common, as node-redis wants it. */
export interface ConnectionOptions {
  readonly disableOfflineQueue: true;
  readonly pingInterval: number;
  readonly commandOptions: { readonly timeout: number };
  readonly maintNotifications: "disabled";
  readonly disableClientInfo: true;
  readonly socket: {
    readonly connectTimeout: number;
    readonly socketTimeout: number;
    readonly reconnectStrategy: (tries: number) => number;
  };
}

/** The options of connections that notice within a time that the server is gone. */
export function connectionOptions(timeoutMilliseconds: number): ConnectionOptions {
  return {
    // A command that cannot be sent is rejected at once instead of waiting for the server.
    disableOfflineQueue: true,
    // Noticed when nothing is sent otherwise, in both directions. What is sent has a deadline of its own.
    pingInterval: timeoutMilliseconds / 2,
    // The time-outs of node-redis end when a command is sent, and cost a timer for each.
    commandOptions: { timeout: 0 },
    maintNotifications: "disabled",
    disableClientInfo: true,
    socket: {
      connectTimeout: timeoutMilliseconds,
      // Twice as long, because a process that was busy itself has not heard what the server has said.
      socketTimeout: timeoutMilliseconds * 2,
      reconnectStrategy: waitBeforeRetry,
    },
  };
}

/**
 * Connects to one server. Messages have a connection of their own: servers hang up on those that listen if much waits
 * to be sent to them, and answers can be long.
 */
export function connectToServer(
  { options }: RedisAddress,
  timeoutMilliseconds: number,
  { onListening, onError }: RedisConnectionEvents,
): RedisConnections {
  const common = connectionOptions(timeoutMilliseconds);
  const { socket, ...rest } = options;
  const merged = { ...common, ...rest, RESP: 3, socket: { ...common.socket, ...socket } } satisfies RedisClientOptions;
  // Each gets a copy, because node-redis writes into what it is given.
  const commands = createClient({ ...merged }).on("error", onError);
  const subscriber = createClient({ ...merged }).on("error", onError);
  // With both of them: whoever is told that something was missed asks for it at once.
  const tell = (): void => {
    if (commands.isReady && subscriber.isReady) onListening();
  };
  commands.on("ready", tell);
  subscriber.on("ready", tell);
  const connected = Promise.all([commands.connect(), subscriber.connect()]).then(() => undefined);
  return {
    connected,
    send: (_key, command) => commands.sendCommand(command),
    async subscribe(channel, listener) {
      if (!subscriber.isReady) throw new NotConnectedError();
      await subscriber.subscribe(channel, listener);
    },
    unsubscribe: (channel, listener) => subscriber.unsubscribe(channel, listener),
    open: () => [commands, subscriber],
    async close() {
      await Promise.all([commands.close(), subscriber.close()]);
    },
    destroy() {
      commands.destroy();
      subscriber.destroy();
    },
  };
}
