import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { DownloadProgress } from "./model-download.ts";

/** Where a progress bar is drawn. `process.stderr` is one. */
export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Shows how downloads get on. */
export interface ProgressBar {
  /** Takes the progress of a download, as `locateModel` tells it. */
  readonly onProgress: (progress: DownloadProgress) => void;
  /** Leaves the last line as it stands. */
  end(): void;
}

/** A point in a download, to tell its speed by. */
interface Sample {
  readonly time: number;
  readonly bytes: number;
}

const REDRAW_MILLISECONDS = 100;
/** Speed is that of the last few seconds: short enough to follow the network, long enough not to flicker. */
const SPEED_MILLISECONDS = 5_000;
const DEFAULT_COLUMNS = 80;
const LONGEST_BAR = 30;
const SHORTEST_BAR = 10;
/** Without a terminal: a line for each tenth, or for each of these where the size is not known. */
const STEPS = 10;
const STEP_BYTES = 100_000_000;
const CLEAR_TO_END = "\u001B[K";

/**
 * Creates a progress bar: one line that is redrawn in place, never wider than the terminal, at most ten times a second
 * and once more when a file is complete. Where there is no terminal, a line is written for every tenth of a file.
 */
export function createProgressBar(stream: ProgressStream, clock: Pick<Clock, "now"> = systemClock): ProgressBar {
  return stream.isTTY === true ? createDrawnBar(stream, clock) : createPlainBar(stream);
}

function createPlainBar(stream: ProgressStream): ProgressBar {
  let file = "";
  let lastStep = -1;
  return {
    onProgress(progress) {
      const { downloadedBytes: bytes, totalBytes: total } = progress;
      const isKnown = total !== undefined && total > 0;
      const step = Math.floor(isKnown ? (bytes * STEPS) / total : bytes / STEP_BYTES);
      if (progress.file === file && step <= lastStep) return;
      file = progress.file;
      lastStep = step;
      const share = isKnown ? `${step * STEPS} % of ${showBytes(total)}` : showBytes(bytes);
      stream.write(`${plainText(file)}: ${share}\n`);
    },
    end: () => undefined,
  };
}

function createDrawnBar(stream: ProgressStream, clock: Pick<Clock, "now">): ProgressBar {
  let current: DownloadProgress | undefined;
  let samples: readonly Sample[] = [];
  let drawnAt = -Infinity;
  let isStale = false;

  function draw(progress: DownloadProgress): void {
    drawnAt = clock.now();
    isStale = false;
    const width = Math.max(1, (stream.columns ?? DEFAULT_COLUMNS) - 1);
    stream.write(`\r${lineOf(progress, speedOf(samples), width)}${CLEAR_TO_END}`);
  }

  function end(): void {
    if (current === undefined) return;
    if (isStale) draw(current);
    stream.write("\n");
    current = undefined;
    samples = [];
    drawnAt = -Infinity;
  }

  return {
    onProgress(progress) {
      if (current !== undefined && current.file !== progress.file) end();
      current = progress;
      const now = clock.now();
      // A step back is a file that begins anew, whose speed is a new one too.
      const isAnew = progress.downloadedBytes < (samples.at(-1)?.bytes ?? 0);
      const recent = isAnew ? [] : samples.filter(({ time }) => now - time <= SPEED_MILLISECONDS);
      isStale = true;
      const isComplete = progress.downloadedBytes === progress.totalBytes;
      if (now - drawnAt < REDRAW_MILLISECONDS && !isComplete) return;
      samples = [...recent, { time: now, bytes: progress.downloadedBytes }];
      draw(progress);
    },
    end,
  };
}

/** Bytes a second, once there is something to tell it by. */
function speedOf(samples: readonly Sample[]): number | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.time === first.time) return undefined;
  return ((last.bytes - first.bytes) * 1000) / (last.time - first.time);
}

/** The line for a width: what does not fit goes in the order in which it is missed least. */
function lineOf(progress: DownloadProgress, speed: number | undefined, width: number): string {
  const { downloadedBytes: bytes, totalBytes: total } = progress;
  const name = plainText(progress.file);
  // Multiplied first, because 57 hundredths are a little less than that in binary.
  const hundredths = total === undefined || total === 0 ? undefined : Math.min((bytes * 100) / total, 100);
  const percent = hundredths === undefined ? "" : `${String(Math.floor(hundredths)).padStart(3)} %`;
  const amount = total === undefined ? showBytes(bytes) : `${showBytes(bytes)} of ${showBytes(total)}`;
  const rate = speed === undefined ? "" : `${showBytes(speed)}/s`;
  const left =
    total === undefined || speed === undefined || speed === 0 ? "" : `${showSeconds((total - bytes) / speed)} left`;
  const layouts = [[percent, amount, rate, left], [percent, amount, rate], [percent, amount], [percent]].map((words) =>
    words.filter((word) => word !== "").join("  "),
  );
  for (const facts of layouts) {
    const room = width - name.length - facts.length - 6;
    if (hundredths === undefined && room >= 0) return `${name}  ${facts}`;
    if (hundredths !== undefined && room >= SHORTEST_BAR) return `${name}  [${barOf(hundredths, room)}]  ${facts}`;
  }
  const facts = layouts.at(-1) ?? "";
  const room = width - facts.length - 2;
  return room < 1 ? facts.trim().slice(0, width) : `${shorten(name, room)}  ${facts}`.slice(0, width);
}

function barOf(hundredths: number, room: number): string {
  const length = Math.min(room, LONGEST_BAR);
  return "#".repeat(Math.floor((hundredths * length) / 100)).padEnd(length, ".");
}

/** The end of a name tells models apart, so the beginning goes. */
function shorten(name: string, length: number): string {
  return name.length <= length ? name : `~${name.slice(name.length - length + 1)}`;
}

/** A name in letters of which each takes one column, and none moves the cursor. */
function plainText(name: string): string {
  return name.replaceAll(/[^ -~]/gu, "?");
}

function showBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function showSeconds(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
