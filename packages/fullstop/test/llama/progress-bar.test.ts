import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DownloadProgress } from "../../src/llama/model-download.ts";
import { createProgressBar } from "../../src/llama/progress-bar.ts";

/** A terminal that remembers what was written to it. */
function createScreen(columns: number | undefined) {
  const writes: string[] = [];
  return { writes, isTTY: true, columns, write: (text: string) => writes.push(text) };
}

function createLog() {
  const writes: string[] = [];
  return { writes, write: (text: string) => writes.push(text) };
}

function createTime() {
  let time = 0;
  return { now: () => time, pass: (milliseconds: number) => (time += milliseconds) };
}

/** What can be seen of a line that is drawn in place. */
const shown = (text: string | undefined): string => (text ?? "").replaceAll("\r", "").replaceAll("\u001B[K", "");

const step = (downloadedBytes: number, rest: Partial<DownloadProgress> = {}): DownloadProgress => ({
  file: "model.gguf",
  downloadedBytes,
  totalBytes: 100e6,
  ...rest,
});

describe("a progress bar on a terminal", () => {
  it("shows name, bar, percent, amount, speed and time left on one line", () => {
    const screen = createScreen(100);
    const time = createTime();
    const bar = createProgressBar(screen, time);
    bar.onProgress(step(0));
    time.pass(2_000);
    bar.onProgress(step(42e6));
    expect(screen.writes.map(shown)).toEqual([
      "model.gguf  [..............................]    0 %  0.0 MB of 100.0 MB",
      "model.gguf  [############..................]   42 %  42.0 MB of 100.0 MB  21.0 MB/s  3 s left",
    ]);
    expect(screen.writes.every((text) => text.startsWith("\r") && !text.includes("\n"))).toBe(true);
  });

  it.each([
    { total: 12.345e9, done: 1e9, after: 10_000, says: "1.00 GB of 12.35 GB  100.0 MB/s  1 min 54 s left" },
    { total: 500e9, done: 1e9, after: 10_000, says: "1.00 GB of 500.00 GB  100.0 MB/s  1 h 23 min left" },
    { total: undefined, done: 2e6, after: 1_000, says: "model.gguf  2.0 MB  2.0 MB/s" },
    { total: 100e6, done: 0, after: 1_000, says: "0.0 MB of 100.0 MB  0.0 MB/s" },
  ])("writes sizes and times as people do: $says", ({ total, done, after, says }) => {
    const screen = createScreen(120);
    const time = createTime();
    const bar = createProgressBar(screen, time);
    bar.onProgress(step(0, { totalBytes: total }));
    // Speed is that of the last seconds.
    for (let part = 1; part <= 10; part += 1) {
      time.pass(after / 10);
      bar.onProgress(step((done * part) / 10, { totalBytes: total }));
    }
    expect(shown(screen.writes.at(-1)).endsWith(says)).toBe(true);
  });

  it("does not count what was there before as speed", () => {
    const screen = createScreen(120);
    const time = createTime();
    const bar = createProgressBar(screen, time);
    bar.onProgress(step(90e6));
    time.pass(1_000);
    bar.onProgress(step(91e6));
    expect(shown(screen.writes.at(-1))).toContain("1.0 MB/s  9 s left");
  });

  it("measures the speed anew when a file begins anew", () => {
    const screen = createScreen(120);
    const time = createTime();
    const bar = createProgressBar(screen, time);
    for (const bytes of [90e6, 0, 1e6]) {
      bar.onProgress(step(bytes));
      time.pass(1_000);
    }
    expect(shown(screen.writes.at(-1))).toContain("1.0 MB/s");
  });

  it("is redrawn at most ten times a second, and once more when the file is complete", () => {
    const screen = createScreen(100);
    const time = createTime();
    const bar = createProgressBar(screen, time);
    for (let milliseconds = 0; milliseconds < 1_000; milliseconds += 1) {
      bar.onProgress(step(milliseconds));
      time.pass(1);
    }
    expect(screen.writes).toHaveLength(10);
    time.pass(100);
    bar.onProgress(step(1e6));
    bar.onProgress(step(100e6));
    expect(screen.writes).toHaveLength(12);
    expect(shown(screen.writes.at(-1))).toContain("100 %");
  });

  it("shows the last of what it was told before the line ends", () => {
    const screen = createScreen(100);
    const bar = createProgressBar(screen, createTime());
    bar.onProgress(step(1e6));
    bar.onProgress(step(57e6));
    bar.end();
    bar.end();
    expect(screen.writes).toHaveLength(3);
    expect(shown(screen.writes[1])).toContain(" 57 %");
    expect(screen.writes[2]).toBe("\n");
  });

  it("gives every file a line of its own", () => {
    const screen = createScreen(100);
    const bar = createProgressBar(screen, createTime());
    bar.onProgress(step(100e6, { file: "one.gguf" }));
    bar.onProgress(step(0, { file: "two.gguf" }));
    expect(screen.writes.map(shown).map((text) => text.slice(0, 8))).toEqual(["one.gguf", "\n", "two.gguf"]);
  });

  it("writes nothing when there was nothing to show", () => {
    const screen = createScreen(100);
    createProgressBar(screen).end();
    expect(screen.writes).toEqual([]);
  });

  it("drops what is missed least when the terminal is narrow", () => {
    const at = (columns: number): string => {
      const screen = createScreen(columns);
      const time = createTime();
      const bar = createProgressBar(screen, time);
      bar.onProgress(step(0));
      time.pass(1_000);
      bar.onProgress(step(50e6));
      return shown(screen.writes.at(-1));
    };
    expect(at(81)).toBe("model.gguf  [########.........]   50 %  50.0 MB of 100.0 MB  50.0 MB/s  1 s left");
    expect(at(70)).toBe("model.gguf  [########........]   50 %  50.0 MB of 100.0 MB  50.0 MB/s");
    expect(at(60)).toBe("model.gguf  [########.........]   50 %  50.0 MB of 100.0 MB");
    expect(at(40)).toBe("model.gguf  [#########.........]   50 %");
    expect(at(15)).toBe("~l.gguf   50 %");
    expect(at(6)).toBe("50 %");
  });

  it("is never wider than the terminal, whatever the file is called", () => {
    const amount = fc.double({ min: 0, max: 1e13, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.string({ unit: "binary", maxLength: 150 }),
        fc.option(amount, { nil: undefined }),
        fc.array(fc.tuple(amount, fc.nat(1e6)), { minLength: 1, maxLength: 6 }),
        (columns, file, totalBytes, steps) => {
          const screen = createScreen(columns);
          const time = createTime();
          const bar = createProgressBar(screen, time);
          for (const [downloadedBytes, milliseconds] of steps) {
            bar.onProgress({ file, downloadedBytes, totalBytes });
            time.pass(milliseconds);
          }
          const lines = screen.writes.filter((text) => text !== "\n").map(shown);
          expect(lines.every((line) => line.length < columns && /^[ -~]*$/u.test(line))).toBe(true);
        },
      ),
    );
  });

  it("is drawn for 80 columns where the terminal does not say", () => {
    const screen = createScreen(undefined);
    const bar = createProgressBar(screen, createTime());
    bar.onProgress(step(0, { file: "m".repeat(200) }));
    expect(shown(screen.writes[0])).toHaveLength(79);
  });
});

describe("progress without a terminal", () => {
  it("is a line for every tenth", () => {
    const log = createLog();
    const bar = createProgressBar(log, createTime());
    for (let bytes = 0; bytes <= 1_000; bytes += 1) bar.onProgress(step(bytes, { totalBytes: 1_000 }));
    bar.end();
    expect(log.writes).toEqual(
      [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((percent) => `model.gguf: ${percent} % of 0.0 MB\n`),
    );
  });

  it("begins where an earlier attempt ended, and at every file", () => {
    const log = createLog();
    const bar = createProgressBar(log, createTime());
    bar.onProgress(step(43e6));
    bar.onProgress(step(44e6));
    bar.onProgress(step(10e6, { file: "other.gguf" }));
    expect(log.writes).toEqual(["model.gguf: 40 % of 100.0 MB\n", "other.gguf: 10 % of 100.0 MB\n"]);
  });

  it("is a line for every 100 MB where the size is not known", () => {
    const log = createLog();
    const bar = createProgressBar(log, createTime());
    for (const bytes of [0, 60e6, 120e6, 180e6, 240e6]) bar.onProgress(step(bytes, { totalBytes: undefined }));
    expect(log.writes).toEqual(["model.gguf: 0.0 MB\n", "model.gguf: 120.0 MB\n", "model.gguf: 240.0 MB\n"]);
  });
});
