import { createReadStream } from "node:fs";
import { defineCommand } from "../command-line/run-command.ts";
import { choosePaint } from "../colours.ts";
import { toPrintable } from "../printable.ts";
import { describeSystemError } from "../system-error.ts";
import { writeText } from "../terminal.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import { renderJsonLine } from "./json-line.ts";
import { INSPECT, STANDARD_INPUT, readInspectOptions } from "./options.ts";
import type { InspectOptions } from "./options.ts";
import { readAnswer } from "./read-answer.ts";
import type { InspectedAnswer } from "./summary.ts";
import { renderTimeline } from "./timeline.ts";

/** The columns of a line where nobody says how many there are. */
const USUAL_WIDTH = 80;

/** Runs `fullstop inspect`: says what recorded answers are and how they ended. */
export const runInspect: RunCommand = defineCommand({
  description: INSPECT,
  read: readInspectOptions,
  run: inspectFiles,
});

async function inspectFiles(options: InspectOptions, terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal;
  const render = chooseRenderer(options, terminal);
  let exitCode = 0;
  for (const file of options.files) {
    let answer: InspectedAnswer;
    try {
      answer = await readAnswer(file, openInput(file, terminal), options);
    } catch (error) {
      const words = describeSystemError(error);
      // Anything that is not the system's doing is a mistake of ours, and its trace is wanted.
      if (words === undefined) throw error;
      exitCode = 1;
      const name = file === STANDARD_INPUT ? "standard input" : toPrintable(file);
      await writeText(stderr, `fullstop inspect: cannot read ${name}: ${words}\n`);
      continue;
    }
    const isWanted = await writeText(stdout, render(answer));
    if (!isWanted) break;
  }
  return exitCode;
}

/** Opens standard input only when it is asked for, because merely looking at it changes how the process ends. */
function openInput(file: string, terminal: Terminal): AsyncIterable<Uint8Array | string> {
  return file === STANDARD_INPUT ? terminal.stdin : readFile(file);
}

function readFile(file: string): AsyncIterable<Uint8Array> {
  return createReadStream(file);
}

function chooseRenderer({ json }: InspectOptions, terminal: Terminal): (answer: InspectedAnswer) => string {
  if (json) return (answer) => `${renderJsonLine(answer)}\n`;
  const { columns = 0 } = terminal.stdout;
  const look = { width: columns > 0 ? columns : USUAL_WIDTH, paint: choosePaint(terminal) };
  let separator = "";
  return (answer) => {
    const text = `${separator}${renderTimeline(answer, look).join("\n")}\n`;
    separator = "\n";
    return text;
  };
}
