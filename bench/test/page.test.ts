import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { writeHighlights } from "../pages/highlights.mjs";
import { writePage } from "../pages/page.mjs";
import type { AllResults, PartResults } from "../pages/read-results.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");

const PART: PartResults = {
  date: "2026-11-16T00:00:00.000Z",
  machine: { processor: "Processor", cores: 2, memoryGigabytes: 24, node: "v20.20.2", platform: "linux x64" },
  sampling: "short",
  seconds: 61,
  loadAverages: { before: [0.25, 0, 0], after: [1, 0, 0] },
  verdicts: [
    { promise: "at most 2 | x", found: "1.5 x", outcome: "met" },
    { promise: "at most 1 x", found: "1.5 x", outcome: "missed", why: "it is more" },
    { promise: "at most 3 x", found: "no figure", outcome: "not measured" },
  ],
  figures: [
    {
      section: "Strings",
      id: "stop/fullstop",
      label: "fullstop",
      per: "token",
      nanoseconds: { best: 40, low: 45, median: 50, high: 60, samples: 9 },
    },
    {
      section: "Strings",
      id: "stop/other",
      label: "  other",
      per: "token",
      beside: "stop/fullstop",
      nanoseconds: { best: 200, low: 210, median: 250, high: 300, samples: 9 },
      ratio: { best: 5, median: 5, low: 4, high: 6 },
    },
    { section: "Strings", id: "stop/broken", label: "broken", per: "token", error: "it ended with 1" },
  ],
};

const RESULTS: AllResults = {
  parts: new Map([["stop", PART]]),
  wholeRun: { date: PART.date, seconds: 720, parts: [{ part: "stop", seconds: 61 }] },
};

/** The cells of a table's rows. */
function rowsOf(page: string): readonly (readonly string[])[] {
  return page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).split(" | "));
}

describe("the page of the benchmarks", () => {
  const page = writePage(RESULTS, [{ part: "stop", name: "tokens", title: "Tokens", caption: "Grown.", svg: "" }]);
  const rows = rowsOf(page);

  it("holds every promise, with what was found, what came of it and why", () => {
    expect(rows).toContainEqual(["at most 2 \\| x", "1.5 x", "met", ""]);
    expect(rows).toContainEqual(["at most 1 x", "1.5 x", "**missed**", "it is more"]);
    expect(rows).toContainEqual(["at most 3 x", "no figure", "**not measured**", ""]);
    expect(page).toContain("1 of 3 are met, 1 missed, 1 not measured.");
  });

  it("holds every figure, with its spread and whom it is set beside", () => {
    expect(rows).toContainEqual(["other", "250 ns", "210 ns – 300 ns", "5.00 (4.00 – 6.00)", "fullstop"]);
    expect(rows).toContainEqual(["broken", "it ended with 1", "", "", ""]);
  });

  it("says how to repeat each part, how long it took, and how long all of it", () => {
    const how = ["`npm run bench -- stop`", "Stop rules", "2026-11-16", "short", "61 s", "v20.20.2", "0.3"];
    expect(rows).toContainEqual(how);
    expect(page).toContain("The last one took 12.0 minutes.");
  });

  it("shows the drawings", () => {
    expect(page).toContain("![Tokens](benchmarks/tokens.svg)\n\nGrown.");
  });

  it("is, with its drawings, what the last measurements give", async () => {
    const run = promisify(execFile)(process.execPath, ["bench/run.mjs", "report", "--check"], { cwd: ROOT });
    await expect(run).resolves.toMatchObject({ stderr: "" });
  });
});

describe("the table of the front page", () => {
  const figure = (id: string, median: number) => ({
    section: "Strings",
    id,
    label: id,
    per: "token",
    nanoseconds: { best: median, low: median, median, high: median, samples: 1 },
  });
  const figures = [
    figure("stop/fullstop", 50),
    figure("stop/rolling-buffer", 150),
    figure("stop/node-llama-cpp", 500),
    figure("whole/guard", 400),
  ];
  const rows = rowsOf(writeHighlights({ parts: new Map([["stop", { ...PART, figures }]]), wholeRun: undefined }));

  it("says how many times as long others take, and leaves out who was not measured", () => {
    expect(rows.slice(2)).toEqual([
      [
        "four stop strings, a token",
        "50.0 ns",
        "rolling buffer with `includes`, always 9 characters late: 150 ns",
        "3.00",
      ],
      ["", "", "node-llama-cpp's detector: 500 ns", "10"],
      ["every rule at once, a token", "400 ns", "", ""],
    ]);
  });
});

describe("npm run bench", () => {
  it("says which parts there are when it is asked for another", async () => {
    const run = promisify(execFile)(process.execPath, ["bench/run.mjs", "stopp"], { cwd: ROOT });
    await expect(run).rejects.toMatchObject({ code: 2 });
    await expect(run).rejects.toThrow(/no part called "stopp".*stop, wire, gateway/su);
  });
});
