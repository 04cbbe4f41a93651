import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { inspect, isDeepStrictEqual } from "node:util";
import type { TerminationSignal } from "../../src/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { parseJson } from "../../src/wire/json.ts";

interface ExpectedUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** What a recorded answer has to be read as. */
interface ExpectedAnswer {
  readonly reason: string;
  readonly truncated: boolean;
  readonly rawField: string | null;
  readonly rawValue: string | null;
  readonly stopSequence?: string;
  readonly text: string;
  readonly textAlt?: readonly string[];
  readonly reasoning: string;
  readonly reasoningAlt?: readonly string[];
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly usage: ExpectedUsage | null;
  readonly usageAlt?: readonly ExpectedUsage[];
  readonly skip?: readonly string[];
}

/** An answer of a real provider, as its bytes came. */
export interface RecordedAnswer {
  readonly name: string;
  readonly file: string;
  readonly provider: string;
  readonly format: WireFormatName;
  readonly streaming: boolean;
  readonly status: number;
  readonly expected: ExpectedAnswer;
  readonly bytes: Uint8Array;
}

/** Recorded answers lie beside the checkout on some machines. They are not part of it, and tests do without them. */
const folder = path.resolve(import.meta.dirname, "../../../../../shared/recorded");

/** The recorded answers, or none if this machine has none. */
export function readRecorded(): readonly RecordedAnswer[] {
  const index = path.join(folder, "index.json");
  if (!existsSync(index)) return [];
  const records = JSON.parse(readFileSync(index, "utf8")) as Omit<RecordedAnswer, "bytes">[];
  return records.map((record) => ({ ...record, bytes: readFileSync(path.join(folder, record.file)) }));
}

/** What an answer was read as. */
export interface ReadAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  readonly signal: TerminationSignal;
}

/** In what a reading differs from what is expected. Several readings of a text or a count may be right. */
export function differences({ expected, format }: RecordedAnswer, read: ReadAnswer): string[] {
  const { signal } = read;
  const { originalField, originalValue } = signal.providerSpecific;
  const skipped = new Set(expected.skip);
  const readings: [name: string, actual: unknown, ...accepted: unknown[]][] = [
    ["reason", signal.reason, expected.reason],
    ["truncated", signal.detail === "truncated", expected.truncated],
    ["stopSequence", signal.stopSequence, expected.stopSequence],
    ["text", read.text, expected.text, ...(expected.textAlt ?? [])],
    ["reasoning", read.reasoning, expected.reasoning, ...(expected.reasoningAlt ?? [])],
    ["toolCalls", read.toolCalls.map(normaliseCall), expected.toolCalls.map(normaliseCall)],
    ["usage", toPair(read.usage), ...[expected.usage, ...(expected.usageAlt ?? [])].map(toPair)],
  ];
  if (expected.rawValue !== null) {
    readings.push(["raw", [originalField, originalValue], [expected.rawField, expected.rawValue]]);
  }
  return readings
    .filter(([name, actual, ...accepted]) => {
      return !skipped.has(name) && !accepted.some((one) => isDeepStrictEqual(one, actual));
    })
    .map(([name, actual, accepted]) => `${format} ${name}: ${inspect(actual)} instead of ${inspect(accepted)}`);
}

function toPair(usage: ExpectedUsage | null | undefined): readonly number[] {
  return [usage?.inputTokens ?? 0, usage?.outputTokens ?? 0];
}

/** Arguments count by their value; a call without any has an empty object. Cut ones have to be the same text. */
function normaliseCall({ name, arguments: json }: { readonly name: string; readonly arguments: string }): unknown {
  return [name, json === "" ? {} : (parseJson(json) ?? json)];
}
