import path from "node:path";
import { describe, expect, it } from "vitest";
import { differences, readRecorded } from "../../fullstop/test/support/recorded.ts";
import type { ReadAnswer, RecordedAnswer } from "../../fullstop/test/support/recorded.ts";
import { runBin } from "./support/run.ts";

interface Line extends Omit<ReadAnswer, "usage"> {
  readonly file: string;
  readonly format: string;
  readonly truncated: boolean;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

const folder = path.resolve(import.meta.dirname, "../../../../shared/recorded");

/** The recorded answers that one call can inspect, since the dialect and the status are told for all of its files. */
function groupRecorded(): [name: string, options: readonly string[], records: readonly RecordedAnswer[]][] {
  const groups = new Map<string, RecordedAnswer[]>();
  for (const record of readRecorded()) {
    const key = `--format ${record.format} --status ${record.status}`;
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups].map(([key, records]) => [key, key.split(" "), records]);
}

async function inspect(records: readonly RecordedAnswer[], options: readonly string[]): Promise<readonly Line[]> {
  const files = records.map(({ file }) => path.join(folder, file));
  const { exitCode, stdout, stderr } = await runBin(["inspect", "--json", ...options, ...files]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  const read = lines.map((line) => JSON.parse(line) as Line);
  expect(read.map(({ file }) => file)).toEqual(files);
  return read;
}

const groups = groupRecorded();

// The recordings are not part of the repository. Where they are absent the hand-made answers of the other tests remain.
describe.runIf(groups.length > 0)("recorded answers", () => {
  it.each(groups)("are read as expected, whole and byte by byte: %s", async (_name, options, records) => {
    const lines = await inspect(records, options);
    for (const [index, record] of records.entries()) {
      const line = lines[index]!;
      expect(differences(record, { ...line, usage: line.usage ?? undefined })).toEqual([]);
      expect(line.truncated).toBe(line.signal.detail === "truncated");
    }
    expect(await inspect(records, [...options, "--chunk-bytes", "1"])).toEqual(lines);
  });

  // Errors look much the same in every dialect, so that theirs cannot always be told.
  const answers = groups.filter(([, , [first]]) => first!.status < 400);
  it.each(answers)("are recognised without being told the dialect: %s", async (_name, options, records) => {
    expect(await inspect(records, options.slice(2))).toEqual(await inspect(records, options));
  });
});
