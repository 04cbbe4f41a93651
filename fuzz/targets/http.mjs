// @ts-check
import { hold, jsonOf } from "../oracle.mjs";

/**
 * An answer as it stood on the wire.
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {Readonly<Record<string, string>>} headers
 * @property {string} body
 * @property {boolean} isWhole Whether its body came to its end.
 */

/**
 * Reads answers one after the other, as strictly as there is reason to.
 *
 * @param {Buffer} bytes
 * @returns {readonly Answer[]}
 */
export function readAnswers(bytes) {
  /** @type {Answer[]} */
  const answers = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    hold(end !== -1, "an answer has a head", rest.toString("latin1"));
    const [line = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (?<status>\d{3})(?: [\w ()'-]*)?$/u.exec(line)?.groups?.["status"]);
    hold(Number.isInteger(status), "an answer begins with its status", line);
    const headers = Object.fromEntries(
      lines.map((each) => {
        const { name = "", value = "" } = /^(?<name>[\w-]+): (?<value>[^\r\n]*)$/u.exec(each)?.groups ?? {};
        hold(name !== "", "a header has a name and a value", each);
        return [name.toLowerCase(), value];
      }),
    );
    const read = readBody(rest.subarray(end + 4), status, headers);
    answers.push({ status, headers, body: read.body.toString(), isWhole: read.isWhole });
    rest = read.rest;
  }
  return answers;
}

/**
 * @param {Buffer} bytes
 * @param {number} status
 * @param {Readonly<Record<string, string>>} headers
 */
function readBody(bytes, status, headers) {
  const length = headers["content-length"];
  const isChunked = headers["transfer-encoding"] === "chunked";
  hold(length === undefined || !isChunked, "a body ends in one way", headers);
  if (status === 100 || status === 204 || status === 304) return { body: Buffer.alloc(0), rest: bytes, isWhole: true };
  if (isChunked) return readChunks(bytes);
  // An answer to HEAD says how long it would be, and what comes next is another one.
  if (length !== undefined && bytes.subarray(0, 9).toString("latin1") === "HTTP/1.1 ") {
    return { body: Buffer.alloc(0), rest: bytes, isWhole: true };
  }
  const size = length === undefined ? bytes.length : Number(length);
  const isWhole = bytes.length >= size;
  return { body: bytes.subarray(0, size), rest: bytes.subarray(size), isWhole };
}

/** @param {Buffer} bytes */
function readChunks(bytes) {
  /** @type {Buffer[]} */
  const chunks = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf("\r\n");
    if (end === -1) return { body: Buffer.concat(chunks), rest: Buffer.alloc(0), isWhole: false };
    const size = Number.parseInt(rest.subarray(0, end).toString("latin1"), 16);
    hold(Number.isInteger(size), "a chunk says how long it is", rest.subarray(0, end).toString("latin1"));
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    rest = rest.subarray(end + 4 + size);
    if (size === 0) return { body: Buffer.concat(chunks), rest, isWhole: true };
  }
}

/**
 * A request as it stands on the wire. The first line of the text is its method and address, then come headers, and
 * behind an empty line the body.
 *
 * @param {string} written
 * @returns {Buffer | undefined} Nothing if that is no request.
 */
export function writeRequest(written) {
  const [head = "", ...parts] = written.split("\n\n");
  const [line = "", ...lines] = head.split("\n");
  const body = Buffer.from(parts.join("\n\n"));
  const isSound = /^[A-Z]{3,7} \/[!-~]*$/u.test(line);
  if (!isSound) return undefined;
  const headers = lines.filter(
    (each) =>
      /^[\w-]+: ?[ -~]*$/u.test(each) &&
      !/^(?:content-length|transfer-encoding|connection|expect|upgrade|host):/iu.test(each),
  );
  const own = ["host: localhost", "connection: close", ...(body.length > 0 ? [`content-length: ${body.length}`] : [])];
  return Buffer.concat([Buffer.from([`${line} HTTP/1.1`, ...headers, ...own, "", ""].join("\r\n")), body]);
}

/** Headers that mean something to the gateway. */
export const HEADER_WORDS = [
  "authorization: Bearer a",
  "authorization: Bearer b",
  "x-api-key: o",
  "anthropic-version: 1",
  "\n\n",
];

/**
 * Holds an answer to what is true of all of them.
 *
 * @param {Answer} answer
 */
export function checkAnswer({ status, headers, body }) {
  const isNotBuilt = status === 503 && body.startsWith("The web page was not built");
  if (isNotBuilt) return;
  hold(status < 500, "nothing goes wrong inside the gateway", { status, body });
  const type = headers["content-type"] ?? "";
  // Node itself refuses, without a word, who does not say whom a request is for, or expects what nobody does.
  const isNodes = (status === 400 || status === 417) && type === "" && body === "";
  if (status >= 400 && !isNodes) {
    hold(type.startsWith("application/json"), "a refusal is JSON", { status, headers });
    hold(body === "" || jsonOf(body) !== undefined, "a refusal can be read", body);
    // A receipt has the id that was asked for.
    const isReceipt = body.includes('"result":"not_found"');
    hold(isReceipt || body.length < 3000, "a refusal is of bounded length", body.length);
  }
}
