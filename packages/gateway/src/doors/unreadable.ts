import { STATUS_CODES } from "node:http";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServerLimits } from "../config/limits.ts";

/** Answers what came over connections and is no request. */
export class Unreadable {
  readonly #limits: ServerLimits;
  /** The last answer over each connection. */
  readonly #answers = new WeakMap<Socket, ServerResponse>();

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  /** A request has come that can be read, and is answered. */
  follow(socket: Socket, answer: ServerResponse): void {
    this.#answers.set(socket, answer);
  }

  /**
   * Something came that is too large, too slow, or cannot be read in one way only. Which dialect it was meant to be is
   * not known. The connection is closed, whatever else came over it.
   */
  answer(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    const open = this.#answers.get(socket);
    // In the middle of an answer nothing can be said any more: it would be taken for a part of it.
    const isInAnswer = open !== undefined && open.headersSent && !open.writableFinished;
    if (socket.writable && !isInAnswer) socket.write(this.#write(error.code));
    socket.destroy(error);
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
