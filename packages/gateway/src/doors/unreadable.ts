import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ServerLimits } from "../config/limits.ts";
import type { OpenAnswers } from "./open-answers.ts";

/** Answers what came over connections and is no request. */
export class Unreadable {
  readonly #limits: ServerLimits;
  readonly #openAnswers: OpenAnswers;

  constructor(limits: ServerLimits, openAnswers: OpenAnswers) {
    this.#limits = limits;
    this.#openAnswers = openAnswers;
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
   * Whether what is written now would be taken for the answer to what could not be read. Where a request before it is not
   * answered yet, it would be taken for that answer, and in the middle of an answer for a part of it.
   */
  #isNext(socket: Socket): boolean {
    const [first, ...others] = this.#openAnswers.over(socket);
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
