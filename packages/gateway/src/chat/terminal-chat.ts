import type { AgentRun } from "fullstop/agent";
import { quote } from "../printable.ts";
import { writeText } from "../terminal.ts";
import { AnswerView } from "./answer-view.ts";
import type { Conversation } from "./conversation.ts";
import { readWish } from "./prompts.ts";
import { readLine } from "./read-line.ts";
import type { Seat } from "./read-line.ts";

const HELP = "Escape or Ctrl-C stops an answer, s skips thinking, /new begins anew, /exit or Ctrl-D leaves.";

/** The keys that mean something while an answer is written, as a terminal sends them. */
const KEYS: ReadonlyMap<string, "stop" | "skip" | "leave"> = new Map([
  ["\u001B", "stop"],
  ["\u0003", "stop"],
  ["\u0004", "leave"],
  ["s", "skip"],
  ["S", "skip"],
]);

function ignore(): void {
  // Ctrl-C is a key here.
}

/** Talks with whoever sits at a terminal, until they leave. */
export async function runTerminalChat(conversation: Conversation, about: string, seat: Seat): Promise<void> {
  const { stdout, paint } = seat;
  let history: string[] = [];
  let isOpen = await writeText(stdout, `${paint("bold", about)}\n${paint("dim", HELP)}\n\n`);
  // A library that is loaded with the local models ends the process at a signal for which nobody else listens.
  process.on("SIGINT", ignore);
  try {
    while (isOpen) {
      const line = await readLine(seat, history, (lines) => void (history = lines));
      const wish = line === undefined ? ({ type: "exit" } as const) : readWish(line);
      switch (wish.type) {
        case "ask":
          isOpen = await answer(conversation, wish.prompt, seat);
          break;
        case "exit":
          isOpen = false;
          break;
        case "new":
          conversation.forget();
          isOpen = await writeText(stdout, `${paint("dim", "[a new conversation]")}\n`);
          break;
        case "help":
          isOpen = await writeText(stdout, `${paint("dim", HELP)}\n`);
          break;
        case "unknown":
          isOpen = await writeText(stdout, `There is no command ${quote(wish.command)}. ${HELP}\n`);
          break;
        case "nothing":
          break;
      }
    }
  } finally {
    process.off("SIGINT", ignore);
    seat.stdin.destroy();
  }
}

/** Shows an answer as it comes, and heeds the keys meanwhile. False if somebody leaves. */
async function answer(conversation: Conversation, prompt: string, { stdin, stdout, paint }: Seat): Promise<boolean> {
  const run = conversation.ask(prompt);
  const view = new AnswerView("everything", paint);
  let isStaying = true;
  let hasSkipped = false;
  const onKeys = (bytes: Buffer): void => {
    for (const wish of readKeys(bytes.toString())) {
      const effect = heed(run, wish);
      if (effect === "leave") isStaying = false;
      if (effect === "skipped" && !hasSkipped) {
        hasSkipped = true;
        stdout.write(paint("dim", " [skipped]"));
      }
    }
  };
  const onSignal = (): void => void heed(run, "stop");
  process.on("SIGINT", onSignal);
  stdin.setRawMode(true);
  stdin.on("data", onKeys);
  stdin.resume();
  try {
    for await (const event of run) {
      const text = view.show(event);
      if (text !== "" && !(await writeText(stdout, text))) run.stop("reader_left");
    }
    const result = await run.result();
    conversation.keep(result);
    return (await writeText(stdout, `${view.end(result)}\n`)) && isStaying;
  } finally {
    process.off("SIGINT", onSignal);
    stdin.off("data", onKeys);
    stdin.pause();
    stdin.setRawMode(false);
  }
}

/**
 * What keys ask for that were pressed at once. Nothing, where others are among them: text that is pasted may hold any
 * letter, and other keys begin as Escape does.
 */
function readKeys(keys: string): readonly ("stop" | "skip" | "leave")[] {
  const wishes = Array.from(keys, (key) => KEYS.get(key));
  return wishes.every((wish) => wish !== undefined) ? wishes : [];
}

/** Does what a key asks for. Who stops what was stopped before wants to leave. */
function heed(run: AgentRun, wish: "stop" | "skip" | "leave"): "skipped" | "leave" | undefined {
  if (wish === "skip") return run.skipThinking() ? "skipped" : undefined;
  const { stopped } = run.stop();
  return stopped && wish === "stop" ? undefined : "leave";
}
