// @ts-check
import { addPageRoutes } from "../../packages/gateway/dist/page/page-routes.js";
import { cutsOfBytes, hold, holdSame, toText } from "../oracle.mjs";
import { talk, world } from "./gateway-world.mjs";
import { checkAnswer, readAnswers } from "./http.mjs";
import { doors } from "./doors.mjs";
import { stopApi } from "./stop-api.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */

const MOST_PIECES = 12;

/**
 * Answers without what is different every time, and without the last one if it is to something that is no request:
 * what came before that may have been answered by then or not.
 *
 * @param {Buffer} bytes
 */
const settled = (bytes) =>
  bytes
    .toString("latin1")
    .replaceAll(/\r\nDate: [^\r]*/giu, "")
    .replaceAll(/[0-9a-f]{32}/gu, "ID")
    .replaceAll(/"(?:created|created_at|startedAt|createTime|completed_at)":"?[^",}]*"?/gu, "")
    .replaceAll(/\r\n[0-9a-f]+\r\n/giu, "\r\n")
    .replaceAll(/\r\nconnection: [^\r]*/giu, "")
    .replace(/HTTP\/1\.1 4\d\d [\w ]+\r\nContent-Length: \d+\r\nContent-Type: application\/json\r\n\r\n\{.*$/su, "");

/**
 * Few of many pieces: each is waited for.
 *
 * @param {readonly Uint8Array[]} pieces
 */
function joinPieces(pieces) {
  const size = Math.ceil(pieces.length / MOST_PIECES);
  return Array.from({ length: Math.ceil(pieces.length / Math.max(1, size)) }, (_, index) =>
    Buffer.concat(pieces.slice(index * size, (index + 1) * size)),
  );
}

/** @type {Target} */
const http = {
  name: "gateway-http",
  files: /gateway\/dist\/(?:server|doors\/(?:unreadable|wrong-method)|access\/(?:gatekeeper|given-key))\.js$/u,
  seeds: [
    "GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere?key=x HTTP/1.1\r\nHost: a\r\n\r\n",
    'POST /v1/generations/gen-a1/stop HTTP/1.1\r\nHost: a\r\nx-api-key: a\r\nContent-Length: 15\r\n\r\n{"mode":"stop"}',
    "POST /v1/generations/stop HTTP/1.1\r\nHost: a\r\nx-api-key: b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "PUT /v1/models HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Encoding: gzip\r\nx-goog-api-key: o\r\n\r\n{}",
    "POST /v1beta/models/m:countTokens?key=a HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}",
    `POST /v1/messages HTTP/1.1\r\nHost: a\r\nx-api-key: a\r\nContent-Length: 7000\r\n\r\n${" ".repeat(3000)}`,
    `GET /${"a".repeat(4100)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
    "\u0016\u0003\u0001 no HTTP",
  ],
  words: [
    ..."GET |POST |DELETE |OPTIONS |HEAD | HTTP/1.1\r\n|HTTP/1.0|Host: a\r\n|\r\n\r\n|\r\n|?key=a|//|..|0\r\n\r\n|%2F|%zz".split(
      "|",
    ),
    ..."Content-Length: 2\r\n|Transfer-Encoding: chunked\r\n|Connection: close\r\n|Expect: 100-continue\r\n".split("|"),
    ..."Content-Encoding: gzip\r\n|Content-Type: x\r\n|Authorization: Bearer |x-api-key: a\r\n".split("|"),
    ..."/v1/generations|/v1/models/|/v1beta/models/|/v1/responses/|/stop".split("|"),
  ],
  async run(input) {
    const bytes = input.subarray(0, 6000);
    const exchange = async (/** @type {readonly Uint8Array[]} */ pieces) => {
      await world.reset();
      return talk(world, pieces);
    };
    const whole = await exchange([bytes]);
    const answers = readAnswers(whole);
    for (const answer of answers) checkAnswer(answer);
    const asked = toText(bytes).split(/HTTP\/1\.|^/u).length;
    hold(answers.length <= asked + 1, "nobody is answered who has not asked", answers.length);
    const [one, other] = [settled(await exchange(joinPieces(cutsOfBytes(bytes).at(-1) ?? []))), settled(whole)];
    hold(one.startsWith(other) || other.startsWith(one), "cuts do not matter", { one, other });
    return answers.map(({ status }) => status).join();
  },
};

const FILES = [
  {
    address: "/",
    type: "text/html; charset=utf-8",
    bytes: Buffer.from("<!doctype html>"),
    zipped: undefined,
    tag: '"one"',
    isLasting: false,
  },
  {
    address: "/assets/a-1.js",
    type: "text/javascript; charset=utf-8",
    bytes: Buffer.from("let a"),
    zipped: Buffer.from("zip"),
    tag: '"two"',
    isLasting: true,
  },
];

/**
 * What is sent by whoever answers at an address; nothing where nobody does.
 *
 * @param {string} address
 * @param {Readonly<Record<string, string>>} headers
 */
function ask(address, headers) {
  /** @type {{ status: number, headers: Record<string, unknown>, body: unknown }} */
  const answer = { status: 200, headers: {}, body: undefined };
  const reply = {
    headers: (/** @type {object} */ more) =>
      (Object.assign(answer.headers, more), reply),
    header: (/** @type {string} */ name, /** @type {unknown} */ value) => reply.headers({ [name]: value }),
    type: (/** @type {string} */ type) => reply.header("content-type", type),
    code: (/** @type {number} */ status) =>
      ((answer.status = status), reply),
    send: (/** @type {unknown} */ body) =>
      ((answer.body = body), reply),
  };
  /** @type {Map<string, (request: unknown, reply: unknown) => unknown>} */
  const routes = new Map();
  const app = {
    get: (/** @type {string} */ path, /** @type {() => unknown} */ handle) => void routes.set(path, handle),
  };
  addPageRoutes(/** @type {Parameters<typeof addPageRoutes>[0]} */ (/** @type {unknown} */ (app)), FILES);
  const handle = routes.get(address);
  if (handle === undefined) return undefined;
  handle({ headers }, reply);
  return answer;
}

/** @type {Target} */
const pages = {
  name: "gateway-page",
  files: /gateway\/dist\/page\/page-routes\.js$/u,
  seeds: [
    "/\naccept-encoding: gzip",
    '/assets/a-1.js\nif-none-match: "two"',
    "/assets/a-1.js\naccept-encoding: br, gzip;q=0",
    "/assets/../x",
  ],
  words: [
    "accept-encoding: ",
    "if-none-match: ",
    "gzip",
    '"one"',
    '"two"',
    "W/",
    "*",
    ", ",
    ";q=0",
    "identity",
    "/assets/a-1.js",
    "%2e%2e/",
  ],
  run(input) {
    const [address = "", ...lines] = toText(input).split("\n");
    if (!/^\/[!-~]*$/u.test(address)) return "none";
    const headers = Object.fromEntries(
      lines.flatMap((line) => {
        const { name, value } = /^(?<name>[\w-]+): ?(?<value>[ -~]*)$/u.exec(line)?.groups ?? {};
        return name === undefined ? [] : [[name.toLowerCase(), value ?? ""]];
      }),
    );
    const answer = ask(address, headers);
    const file = FILES.find((each) => each.address === address);
    holdSame(answer !== undefined, file !== undefined, "whatever is there is given, and nothing else");
    if (answer === undefined || file === undefined) return "none";
    holdSame(answer.headers["x-content-type-options"], "nosniff", "every file has the headers that keep it apart");
    holdSame(answer.headers["etag"], file.tag, "a file is the one that was asked for");
    const isZipped = answer.headers["content-encoding"] === "gzip";
    if (answer.status === 304) {
      holdSame(headers["if-none-match"], file.tag, "only who has it is not given it");
    } else {
      hold(
        !isZipped || acceptsGzip(headers["accept-encoding"] ?? ""),
        "nobody is given what they cannot read",
        headers,
      );
      holdSame(answer.body, isZipped ? file.zipped : file.bytes, "the bytes are those of the file");
    }
    return `${answer.status} ${isZipped}`;
  },
};

/**
 * Whether gzip may be sent, by the letter of the header.
 *
 * @param {string} header
 */
function acceptsGzip(header) {
  return header.split(",").some((each) => {
    const [coding = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((part) => part.startsWith("q="));
    return (coding === "gzip" || coding === "x-gzip" || coding === "*") && Number(weight?.slice(2) ?? 1) > 0;
  });
}

/** What comes over HTTP to the gateway. */
export const ROUTE_TARGETS = [http, stopApi, doors, pages];
