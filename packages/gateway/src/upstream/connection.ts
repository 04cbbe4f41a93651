import type { Socket } from "node:net";
import { openSocket } from "./open-socket.ts";
import type { Destination } from "./open-socket.ts";
import type { ResponseHead } from "./response-head.ts";
import { ResponseReader } from "./response-reader.ts";

/** Whoever waits for the answer to a request, and is told of it as it comes. */
export interface Receiver {
  head(head: ResponseHead): void;
  /** Some of the body; the bytes are only there during the call. */
  bytes(bytes: Buffer, start: number, end: number): void;
  /** The answer is whole. */
  end(): void;
  /** There is no answer, or no more of it. */
  fail(error: Error): void;
}

/** Whoever keeps connections. */
export interface Keeper {
  /** It can serve another request, for so long. */
  rest(connection: Connection, milliseconds: number): void;
  /** It serves nobody any more. */
  gone(connection: Connection): void;
}

/**
 * All connections read into this: the system fills it and calls back in one go, so that one at a time uses it. A buffer
 * for each read, and a stream behind it, took a fifth more of the processor's time for a streamed event.
 */
const BUFFER = Buffer.allocUnsafe(65_536);

interface Exchange {
  readonly receiver: Receiver;
  readonly reader: ResponseReader;
}

/** A connection to a server, for one request after the other. */
export class Connection {
  readonly #keeper: Keeper;
  readonly #socket: Socket;
  #exchange: Exchange | undefined;

  constructor(destination: Destination, keeper: Keeper) {
    this.#keeper = keeper;
    this.#socket = openSocket(destination, {
      buffer: BUFFER,
      callback: (length) => {
        this.#read(length);
        return true;
      },
    });
    this.#socket.on("end", () => this.#readEnd());
    this.#socket.on("error", (error) => this.close(error));
    this.#socket.on("close", () => this.close(closedError()));
  }

  /** Sends a request, when the one before has been answered. */
  send(head: string, body: string, receiver: Receiver): void {
    const reader = new ResponseReader({
      head: (read) => receiver.head(read),
      bytes: (bytes, start, end) => receiver.bytes(bytes, start, end),
      end: (keepMilliseconds) => this.#finish(keepMilliseconds),
    });
    this.#exchange = { receiver, reader };
    this.#socket.ref();
    this.#socket.cork();
    this.#socket.write(head, "latin1");
    if (body !== "") this.#socket.write(body);
    this.#socket.uncork();
  }

  /** Reads nothing for a while, so that the server has to wait. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes it at once. Whoever waits for an answer is told why there is none. */
  close(error: Error): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#socket.destroy();
    this.#keeper.gone(this);
    exchange?.receiver.fail(error);
  }

  #read(length: number): void {
    // What nobody has asked for would be taken for the answer to the next request.
    if (this.#exchange === undefined) {
      this.close(closedError());
      return;
    }
    try {
      this.#exchange.reader.push(BUFFER, length);
    } catch (error) {
      this.close(error instanceof Error ? error : closedError());
    }
  }

  #readEnd(): void {
    if (this.#exchange?.reader.close() !== true) this.close(closedError());
  }

  #finish(keepMilliseconds: number): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    // A server may answer before it has all of a request, and either waits for the rest of it then or takes no more: the
    // next request would stand behind that rest, or be taken for it.
    const isSent = this.#socket.writableLength === 0;
    if (keepMilliseconds > 0 && isSent && !this.#socket.destroyed) {
      this.#socket.resume();
      // Nobody's process has to go on only because a connection might be of use again.
      this.#socket.unref();
      this.#keeper.rest(this, keepMilliseconds);
    } else {
      this.#socket.destroy();
    }
    exchange?.receiver.end();
  }
}

/** What ends an answer that the server has not finished. */
function closedError(): Error {
  const message = "The server has closed the connection before its answer was whole";
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
