import { MalformedResponse } from "./malformed-response.ts";

/** Where the body behind a head ends. */
type BodyFraming =
  | { readonly by: "length"; readonly length: number }
  | { readonly by: "chunks" }
  /** It says nothing of that: where the connection ends. */
  | { readonly by: "close" };

/** What stands before the body of an answer. */
export interface ResponseHead {
  readonly status: number;
  /** By their names in small letters; those that come more than once are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: BodyFraming;
  /** For how many milliseconds the server keeps the connection for another request, as far as it says; 0 for not at all. */
  readonly keepMilliseconds: number;
}

const STATUS_LINE = /^HTTP\/1\.(?<version>[01]) (?<status>[1-9]\d\d)(?: |$)/u;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
/** What no line may hold: a line feed that stands alone could be read as another header by somebody else. */
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\0-\x08\n-\x1f\x7f]/u;

/** How much of a line is quoted. */
const MOST_QUOTED = 100;

/** Reads a head, without the empty line behind it. */
export function readResponseHead(text: string): ResponseHead {
  const [first = "", ...lines] = text.split("\r\n");
  const { version, status } = STATUS_LINE.exec(first)?.groups ?? {};
  if (status === undefined || CONTROL_CHARACTER.test(first)) throw refuse("does not begin as one of HTTP/1", first);
  const headers = new Map<string, string>();
  for (const line of lines) addHeader(headers, line);
  const isOld = version === "0";
  const framing = framingOf(Number(status), headers, isOld);
  const isLast = isOld || framing.by === "close" || wordsOf(headers.get("connection")).includes("close");
  return {
    status: Number(status),
    headers,
    framing,
    keepMilliseconds: isLast ? 0 : keptFor(headers.get("keep-alive")),
  };
}

function addHeader(headers: Map<string, string>, line: string): void {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon)).toLowerCase();
  if (!NAME.test(name) || CONTROL_CHARACTER.test(line)) throw refuse("has a header that cannot be read", line);
  const value = trimBlanks(line.slice(colon + 1));
  const before = headers.get(name);
  headers.set(name, before === undefined ? value : `${before}, ${value}`);
}

/**
 * Two servers that read differently where an answer ends give one person's answer to the next. Whatever can be read in
 * two ways is refused.
 */
function framingOf(status: number, headers: ReadonlyMap<string, string>, isOld: boolean): BodyFraming {
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== undefined && length !== undefined) throw refuse("has two lengths", `${length}, ${coding}`);
  if (status < 200 || status === 204 || status === 304) return { by: "length", length: 0 };
  if (coding !== undefined) {
    if (isOld || coding.toLowerCase() !== "chunked") throw refuse("comes in a way that was not asked for", coding);
    return { by: "chunks" };
  }
  if (length === undefined) return { by: "close" };
  const [said = "", ...others] = wordsOf(length);
  const isCount = /^\d{1,15}$/u.test(said) && others.every((other) => other === said);
  if (!isCount) throw refuse("has a length that cannot be read", length);
  return { by: "length", length: Number(said) };
}

/** A second less than the server says: a request that is under way when it closes the connection is lost. */
function keptFor(hint = ""): number {
  const seconds = /\btimeout=(?<seconds>\d{1,9})/iu.exec(hint)?.groups?.["seconds"];
  return seconds === undefined ? Infinity : Math.max(0, Number(seconds) - 1) * 1000;
}

function wordsOf(list = ""): readonly string[] {
  return list.split(",").map((word) => trimBlanks(word).toLowerCase());
}

/**
 * Without the spaces and tabs around it. `trim` would take away no-break spaces as well, which nobody else leaves out: a
 * length or a coding with one of them is none, and it can be the last byte of a letter in UTF-8.
 */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start += 1;
  while (start < end && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isBlank(text: string, index: number): boolean {
  const character = text[index];
  return character === " " || character === "\t";
}

function refuse(problem: string, text: string): MalformedResponse {
  const shown = text.length <= MOST_QUOTED ? text : `${text.slice(0, MOST_QUOTED)}…`;
  return new MalformedResponse(`The answer ${problem}: ${JSON.stringify(shown)}`);
}
