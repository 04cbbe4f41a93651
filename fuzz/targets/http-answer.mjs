// @ts-check
import { MalformedResponse } from "../../packages/gateway/dist/upstream/malformed-response.js";
import { ResponseReader } from "../../packages/gateway/dist/upstream/response-reader.js";
import { attempt, cutsOfBytes, hold, holdSame } from "../oracle.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */

/**
 * What is read of an answer. Its reader is told only where the bytes stand that came last, in a buffer that it shares.
 *
 * @param {readonly Uint8Array[]} pieces
 */
function readAll(pieces) {
  const told = { status: 0, headers: {}, body: "", ends: 0, isLast: false };
  const reader = new ResponseReader({
    head(head) {
      hold(told.status === 0, "an answer has one head");
      Object.assign(told, { status: head.status, headers: Object.fromEntries(head.headers) });
    },
    bytes(bytes, start, end) {
      hold(told.status !== 0 && told.ends === 0, "a body stands between the head and the end");
      hold(start < end, "no piece is empty", { start, end });
      told.body += bytes.toString("latin1", start, end);
    },
    end(keepMilliseconds) {
      told.ends += 1;
      told.isLast = keepMilliseconds === 0;
    },
  });
  const read = attempt(() => {
    for (const piece of pieces) {
      const shared = Buffer.concat([piece, Buffer.from("left from others")]);
      reader.push(shared, piece.length);
    }
    return reader.close();
  }, [MalformedResponse]);
  if ("value" in read) hold(read.value === told.ends > 0, "an answer is whole when its end was told", told);
  // Whether the last byte of an answer is also the last of a read depends on the cut, and so does what a refusal quotes.
  const { isLast: _, ...same } = told;
  return { ...same, isRefused: "refusal" in read };
}

/**
 * The body of an answer in chunks, read with no cleverness at all.
 *
 * @param {string} text What stands behind the head.
 */
function plainChunks(text) {
  let body = "";
  for (let rest = text; ;) {
    const [line = "", digits = "0"] = /^(?<digits>[0-9a-f]+)[^\r\n]*\r\n/iu.exec(rest) ?? [];
    const size = Number.parseInt(digits, 16);
    if (size === 0) return body;
    body += rest.slice(line.length, line.length + size);
    rest = rest.slice(line.length + size + 2);
  }
}

/** @type {Target} */
export const httpAnswer = {
  name: "http-answer",
  files: /gateway\/dist\/upstream\/(?:response-reader|response-head|chunked-body)\.js$/u,
  seeds: [
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nkeep-alive: timeout=5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nA;name=x\r\n0123456789\r\n0\r\nx: y\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 \r\nlink: a\r\n\r\nHTTP/1.0 404 Not Found\r\n\r\nto the end",
    "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\nx-a: b\r\nX-A: c\r\n\r\nabc",
  ],
  words: [
    "\r\n",
    "\r\n\r\n",
    "HTTP/1.1 ",
    "content-length: ",
    "transfer-encoding: chunked",
    "0\r\n\r\n",
    ": ",
    ";",
    "1\r\na\r\n",
  ],
  run(input) {
    const read = readAll([input]);
    for (const pieces of cutsOfBytes(input)) holdSame(readAll(pieces), read, "cuts do not matter");
    if (read.isRefused) return "refused";
    if (read.ends === 0) return "unfinished";
    const text = Buffer.from(input)
      .toString("latin1")
      .replace(/^(?:HTTP\/1\.[01] 1[^]*?\r\n\r\n)+/u, "");
    const behind = text.slice(text.indexOf("\r\n\r\n") + 4);
    /** @type {Readonly<Record<string, string | undefined>>} */
    const { "content-length": length, "transfer-encoding": coding } = read.headers;
    if (read.status === 204 || read.status === 304) hold(read.body === "", "there is no body", read);
    else if (coding !== undefined) holdSame(read.body, plainChunks(behind), "a body in chunks is what they hold");
    else if (length !== undefined) {
      holdSame(read.body, behind.slice(0, Number.parseInt(length, 10)), "a body is as long as is said");
    } else holdSame(read.body, behind, "a body without a length is all that comes");
    return coding === undefined ? "whole" : "chunks";
  },
};
