import { ANSWER_FORMATS } from "fullstop/wire";
import type { WireFormatName } from "fullstop/wire";
import type { CommandDescription, OptionTable } from "../command-line/description.ts";
import { parseParameters, readChoice, readCount } from "../command-line/parse.ts";
import { UsageError } from "../command-line/usage-error.ts";
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

const FORMATS: readonly WireFormatName[] = Object.keys(ANSWER_FORMATS).filter(isFormatName);

const OPTIONS = {
  json: {
    type: "flag",
    help: "one line of JSON for each file: file, format, signal, truncated, text, reasoning, toolCalls, sources, usage",
  },
  format: {
    type: "value",
    value: "F",
    help: "the dialect of the answers, instead of recognising it",
    choices: FORMATS,
  },
  "chunk-bytes": {
    type: "value",
    value: "N",
    help: "feed the decoder in pieces of N bytes, to see that cuts do not matter",
  },
  status: {
    type: "value",
    value: "N",
    help: "the HTTP status that came with the answers; from 400 on they are errors",
  },
} as const satisfies OptionTable;

/** All about `fullstop inspect`. */
export const INSPECT: CommandDescription = {
  name: "inspect",
  introduction:
    "Says what a recorded answer of a model provider is and how it ended. A FILE holds the body of one answer, streamed " +
    "or whole; - is standard input.",
  options: OPTIONS,
  operands: { usage: "FILE…", suggests: "files" },
  examples: [
    "fullstop inspect answer.sse",
    "curl -sN … | tee answer.sse | fullstop inspect --json - | jq .signal.reason",
  ],
  exitCodes: [
    [0, "every file could be read, however its answer ended"],
    [1, "a file could not be read"],
    [2, "a wrong call"],
  ],
};

/** Reads the parameters of `fullstop inspect`. */
export function readInspectOptions(parameters: readonly string[]): InspectOptions | "help" {
  const parsed = parseParameters(INSPECT, OPTIONS, parameters);
  if (parsed === "help") return "help";
  const { json, format, status, "chunk-bytes": chunkBytes } = parsed.values;
  const files = parsed.operands;
  if (files.length === 0) throw new UsageError(`a FILE is missing; ${STANDARD_INPUT} is standard input`);
  if (files.filter((file) => file === STANDARD_INPUT).length > 1) {
    throw new UsageError(`standard input can be read only once, got ${quote(files.join(" "))}`);
  }
  return {
    files,
    json,
    format: readChoice("--format", format, FORMATS),
    chunkBytes: readCount("--chunk-bytes", chunkBytes, 1),
    status: readCount("--status", status, 100, 599),
  };
}

function isFormatName(name: string): name is WireFormatName {
  return Object.hasOwn(ANSWER_FORMATS, name);
}
