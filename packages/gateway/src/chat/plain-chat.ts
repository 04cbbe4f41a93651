import type { AgentResult, AgentRun } from "fullstop/agent";
import { paintNothing } from "../colours.ts";
import { quote, toPrintable } from "../printable.ts";
import { sourcesToJson } from "../sources.ts";
import { writeText } from "../terminal.ts";
import type { Terminal } from "../terminal.ts";
import { AnswerView } from "./answer-view.ts";
import type { Conversation } from "./conversation.ts";
import { readLines, readWish } from "./prompts.ts";

const FAILED = 1;
/** As `fullstop pipe` says it. */
const CUT = 12;
const INTERRUPTED = 130;

/** Answers the lines of an input that is no terminal. A signal stops the answer, a second one the conversation. */
export async function runPlainChat(conversation: Conversation, json: boolean, terminal: Terminal): Promise<number> {
  const { stdin, stdout, stderr } = terminal;
  let current: AgentRun | undefined;
  let exitCode = 0;
  const onSignal = (): void => {
    if (current?.stop().stopped === true) return;
    exitCode = INTERRUPTED;
    stdin.destroy?.();
  };
  process.on("SIGINT", onSignal);
  try {
    for await (const line of readLines(stdin)) {
      const wish = readWish(line);
      if (wish.type === "exit") break;
      if (wish.type === "new") conversation.forget();
      if (wish.type === "unknown") {
        await writeText(stderr, `fullstop chat: there is no command ${quote(wish.command)}\n`);
      }
      if (wish.type !== "ask") continue;
      current = conversation.ask(wish.prompt);
      const { result, isRead } = await (json ? tellAsJson(wish.prompt, current, terminal) : tell(current, terminal));
      current = undefined;
      conversation.keep(result);
      const signal = result.signals.at(-1);
      // A conversation that is refused for its length has failed, too, in whatever words.
      const isRefused = result.end === "context_full" && signal?.reason === "error_termination";
      if (result.end === "failed" || isRefused) {
        exitCode = FAILED;
        await writeText(stderr, `fullstop chat: ${toPrintable(signal?.message ?? "the answer has failed")}\n`);
      } else if (isCut(result)) {
        if (exitCode === 0) exitCode = CUT;
        if (!json) await writeText(stderr, "fullstop chat: the answer was cut at its limit of tokens\n");
      }
      if (!isRead) break;
    }
  } catch (error) {
    // Whoever interrupts a conversation ends the reading of its input that way.
    if (exitCode !== INTERRUPTED) throw error;
  } finally {
    process.off("SIGINT", onSignal);
  }
  stdin.destroy?.();
  await writeText(stdout, "");
  return exitCode;
}

/** Whether an answer is not whole because it may not be longer. */
function isCut({ end, signals }: AgentResult): boolean {
  return end === "incomplete" && signals.at(-1)?.reason === "token_limit_reached";
}

interface Told {
  readonly result: AgentResult;
  /** False if nobody reads the output any more. */
  readonly isRead: boolean;
}

async function tell(run: AgentRun, { stdout }: Terminal): Promise<Told> {
  const view = new AnswerView("text", paintNothing);
  let isRead = true;
  for await (const event of run) {
    const text = view.show(event);
    if (text === "" || !isRead) continue;
    isRead = await writeText(stdout, text);
    if (!isRead) run.stop("reader_left");
  }
  const result = await run.result();
  return { result, isRead: isRead && (await writeText(stdout, view.end(result))) };
}

async function tellAsJson(prompt: string, run: AgentRun, { stdout }: Terminal): Promise<Told> {
  const view = new AnswerView("text", paintNothing);
  for await (const event of run) view.show(event);
  const result = await run.result();
  const { text, reasoning, end, signals, usage } = result;
  const sources = sourcesToJson(view.sources);
  const line = JSON.stringify({ prompt, text, reasoning, sources, end, signal: signals.at(-1) ?? null, usage });
  return { result, isRead: await writeText(stdout, `${line}\n`) };
}
