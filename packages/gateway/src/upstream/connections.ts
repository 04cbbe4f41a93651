import { Connection } from "./connection.ts";
import type { Keeper } from "./connection.ts";
import type { Destination } from "./open-socket.ts";

/** How long a connection is kept that nobody uses, where its server does not say that it closes it earlier. */
const KEPT_MILLISECONDS = 4_000;

/** A connection that nobody uses. */
interface Resting {
  readonly connection: Connection;
  /** When it is too old to be used again. */
  readonly until: number;
}

/** The connections to one server: each serves one request at a time, and there are as many as that takes. */
export class Connections implements Keeper {
  readonly #destination: Destination;
  readonly #all = new Set<Connection>();
  /** The one that has come last at the end. */
  readonly #resting: Resting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(destination: Destination) {
    this.#destination = destination;
  }

  /** A connection that serves nobody. Of those that rest the last one, which is least likely to be closed just now. */
  take(): Connection {
    const last = this.#resting.pop();
    if (last !== undefined && last.until > Date.now()) return last.connection;
    last?.connection.close(TOO_OLD);
    const connection = new Connection(this.#destination, this);
    this.#all.add(connection);
    return connection;
  }

  rest(connection: Connection, milliseconds: number): void {
    const kept = Math.min(milliseconds, KEPT_MILLISECONDS);
    this.#resting.push({ connection, until: Date.now() + kept });
    this.#timer ??= setTimeout(() => this.#tidy(), KEPT_MILLISECONDS).unref();
  }

  gone(connection: Connection): void {
    this.#all.delete(connection);
    const index = this.#resting.findIndex((resting) => resting.connection === connection);
    if (index !== -1) this.#resting.splice(index, 1);
  }

  /** Closes all of them; whoever waits for an answer is told why. */
  close(error: Error): void {
    clearTimeout(this.#timer);
    for (const connection of this.#all) connection.close(error);
  }

  /** Closes those that have rested for too long. One timer looks after all of them. */
  #tidy(): void {
    const now = Date.now();
    const old = this.#resting.filter(({ until }) => until <= now);
    for (const { connection } of old) connection.close(TOO_OLD);
    this.#timer = this.#resting.length > 0 ? setTimeout(() => this.#tidy(), KEPT_MILLISECONDS).unref() : undefined;
  }
}

/** Nobody is told of it: whoever waits for an answer does so over a connection that does not rest. */
const TOO_OLD = new Error("The connection has rested for too long");
