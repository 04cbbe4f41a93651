/** A line of a log. */
type LogLine = Readonly<Record<string, unknown>>;

/** Where a gateway can log to. */
export interface LogLines {
  write(line: string): void;
  /** All lines so far, as they were written. */
  text(): string;
  /** All lines so far. */
  lines(): readonly LogLine[];
}

/** Keeps what is logged. */
export function createLogLines(): LogLines {
  let all = "";
  return {
    write: (line) => void (all += line),
    text: () => all,
    lines: () =>
      all
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as LogLine),
  };
}
