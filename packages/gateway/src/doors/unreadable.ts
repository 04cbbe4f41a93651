import { STATUS_CODES } from "node:http";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerLimits } from "../config/limits.ts";

/** Answers what came over connections and is no request. */
export class Unreadable {
  readonly #limits: ServerLimits;
  /** The answers over each connection that are not over yet, in the order in which they were asked for. */
  readonly #open = new WeakMap<Socket, Set<ServerResponse>>();

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  /** A request has come that can be read, and is answered. */
  follow(socket: Socket, answer: ServerResponse): void {
    const open = this.#open.get(socket) ?? new Set();
    this.#open.set(socket, open.add(answer));
    answer.on("close", () => open.delete(answer));
  }

  /**
   * Something came that is too large, too slow, or cannot be read in one way only. Which dialect it was meant to be is
   * not known. The connection is closed, whatever else came over it.
   */
  answer(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    if (socket.writable && this.#isNext(socket)) socket.write(this.#write(error.code));
    socket.destroy(error);
  }

  /**
   * Whether what is said now answers what could not be read. Where a request before it is not answered yet, it would be
   * taken for that answer, and in the middle of an answer for a part of it.
   */
  #isNext(socket: Socket): boolean {
    const [first, ...others] = this.#open.get(socket) ?? [];
    if (first === undefined) return true;
    return others.length === 0 && !first.req.complete && !first.headersSent;
  }

  #write(code: string | undefined): string {
    const { status, message } = describe(code, this.#limits);
    const body = JSON.stringify({ error: { message, type: "invalid_request_error", code: "invalid_request" } });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Content-Type: application/json",
      "Connection: close",
    ];
    return `${head.join("\r\n")}\r\n\r\n${body}`;
  }
}

function describe(code: string | undefined, { maxHeaderBytes, requestMilliseconds }: ServerLimits) {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const message = `The request took longer than ${requestMilliseconds} ms to arrive (limits.requestMilliseconds)`;
    return { status: 408, message };
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `The address and the headers are larger than ${maxHeaderBytes} bytes (limits.maxHeaderBytes)`;
    return { status: 431, message };
  }
  return { status: 400, message: "What was sent is not HTTP, or can be read in more than one way" };
}
