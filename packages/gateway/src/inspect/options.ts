import { parseArgs } from "node:util";
import { FullstopError } from "fullstop";
import { ANSWER_FORMATS } from "fullstop/wire";
import type { WireFormatName } from "fullstop/wire";
import { quote } from "../printable.ts";
import type { ReadAnswerOptions } from "./read-answer.ts";

/** The name that stands for standard input. */
export const STANDARD_INPUT = "-";

/** What `fullstop inspect` was asked to do. */
export interface InspectOptions extends ReadAnswerOptions {
  /** What to inspect, in this order. */
  readonly files: readonly string[];
  /** Whether to write for programs instead of people. */
  readonly json: boolean;
}

const OPTIONS = {
  json: { type: "boolean" },
  format: { type: "string" },
  "chunk-bytes": { type: "string" },
  status: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const KINDS: ReadonlyMap<string, "boolean" | "string"> = new Map(
  Object.entries(OPTIONS).map(([name, { type }]) => [name, type]),
);

/** Reads the parameters of `fullstop inspect`; throws a FullstopError with one sentence about what is wrong. */
export function readInspectOptions(parameters: readonly string[]): InspectOptions | "help" {
  // Not strict: the parser's own complaints take three lines and some of them do not tell the value.
  const parsed = parseArgs({ args: [...parameters], options: OPTIONS, strict: false, tokens: true });
  for (const token of parsed.tokens) {
    if (token.kind === "option") checkToken(token.name, token.rawName, token.value);
  }
  const { json, format, status, help, "chunk-bytes": chunkBytes } = parsed.values;
  if (help === true) return "help";
  const files = parsed.positionals;
  if (files.length === 0) throw refuse(`a FILE is missing; ${STANDARD_INPUT} is standard input`);
  if (files.filter((file) => file === STANDARD_INPUT).length > 1) {
    throw refuse(`standard input can be read only once, got ${quote(files.join(" "))}`);
  }
  return {
    files,
    json: json === true,
    format: readFormat(format),
    chunkBytes: readCount("--chunk-bytes", chunkBytes, 1, Number.MAX_SAFE_INTEGER),
    status: readCount("--status", status, 100, 599),
  };
}

function checkToken(name: string, rawName: string, value: string | undefined): void {
  const kind = KINDS.get(name);
  if (kind === undefined) throw refuse(`there is no option ${quote(rawName)}`);
  if (kind === "string" && value === undefined) throw refuse(`${rawName} needs a value`);
  if (kind === "boolean" && value !== undefined) throw refuse(`${rawName} takes no value, got ${quote(value)}`);
}

function readFormat(name: string | boolean | undefined): WireFormatName | undefined {
  if (typeof name !== "string") return undefined;
  if (isFormatName(name)) return name;
  throw refuse(`--format must be one of ${Object.keys(ANSWER_FORMATS).join(", ")}, got ${quote(name)}`);
}

function isFormatName(name: string): name is WireFormatName {
  return Object.hasOwn(ANSWER_FORMATS, name);
}

function readCount(name: string, text: string | boolean | undefined, least: number, most: number): number | undefined {
  if (typeof text !== "string") return undefined;
  const count = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw refuse(`${name} must be a whole number ${range}, got ${quote(text)}`);
}

function refuse(message: string): FullstopError {
  return new FullstopError("invalid_argument", message);
}
