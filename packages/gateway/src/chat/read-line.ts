import { createInterface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import type { Paint } from "../colours.ts";

/** A terminal that somebody sits at. */
export interface Seat {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly paint: Paint;
}

const PROMPT = "> ";

/** Has the terminal say where something that is pasted begins and ends, and no more. */
const TELL_PASTES = "\u001B[?2004h";
const TELL_NO_PASTES = "\u001B[?2004l";

/** The next line that is typed, or lines that are pasted; undefined if somebody leaves instead. */
export function readLine(
  { stdin, stdout }: Seat,
  history: string[],
  onHistory: (history: string[]) => void,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdin, output: stdout, prompt: PROMPT, history, terminal: true });
    const typed: string[] = [];
    let isPasting = false;
    let isAsked = false;
    const onKey = (_text: string | undefined, { name }: { readonly name?: string | undefined }): void => {
      if (name === "paste-start" || name === "paste-end") isPasting = name === "paste-start";
    };
    stdin.on("keypress", onKey);
    lines.on("history", onHistory);
    lines.on("SIGINT", () => lines.close());
    lines.on("line", (text) => {
      typed.push(text);
      // What is pasted comes in pieces, however long it takes, and is sent by a key of its own.
      if (isPasting || isAsked) return;
      isAsked = true;
      // A terminal that does not tell what is pasted sends a few lines at once, and they are one question.
      setImmediate(() => lines.close());
    });
    lines.on("close", () => {
      stdin.off("keypress", onKey);
      stdout.write(isAsked ? TELL_NO_PASTES : `${TELL_NO_PASTES}\n`);
      resolve(isAsked ? [...typed, lines.line].join("\n") : undefined);
    });
    stdout.write(TELL_PASTES);
    lines.prompt();
  });
}
