import type { TerminationSignal } from "../../../termination.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { toChatFinish } from "../../../wire/openai-chat/finish.ts";
import { toPortableSignal } from "../../../wire/writing/finish.ts";
import { dataFrame } from "../../../wire/writing/frames.ts";
import { Allowance, cutChoices, editChoice, readChoices, without } from "./editor.ts";
import type { AnswerEditor, ReadCounts, StreamEditor, Unread } from "./editor.ts";
import { hasArguments } from "./openai-chat-calls.ts";
import { ChatCutter, ECHOES, messagesIn } from "./openai-chat-message.ts";

/** Fields of a choice that say how it ended. */
const ENDINGS = [
  "finish_reason",
  "finishReason",
  "native_finish_reason",
  "stop_reason",
  "matched_stop",
  "error",
] as const;

/** Fields in which things are said. */
const SAID = ["delta", "message", "messages"] as const;

/** Fields of an event that say how the answer ended, or its text once more. */
const EVENT_ECHOES = ["obfuscation", "error", "fullstop"] as const;

/** Ends answers in Chat Completions. */
export const chatEditor: AnswerEditor = {
  openStream: () => new ChatStreamEditor(),
  // A chunk looks like an answer, and some answers have a piece in them as chunks do.
  isEvent: () => false,
  cutAnswer(body, keep, signal) {
    const allowance = new Allowance(keep);
    const cutter = new ChatCutter();
    const finish = { logprobs: null, finish_reason: toChatFinish(signal).word };
    const choices = editChoice(body["choices"], (choice) => {
      const rest = without(choice, ...ENDINGS, ...ECHOES, ...SAID);
      return { ...rest, ...(cutter.cut(choice, allowance) ?? { message: {} }), ...finish };
    });
    return { ...body, choices, fullstop: toPortableSignal(signal) };
  },
};

class ChatStreamEditor implements StreamEditor {
  readonly #cutter = new ChatCutter();
  #head: JsonRecord = { object: "chat.completion.chunk" };
  /** The calls whose arguments have come without a name. */
  #unnamed: Unread | undefined;

  /**
   * Arguments that come before the name of their call are read with the event that has it. Where that one is cut they
   * are written into it, so what came before it goes out only if all of it does.
   */
  follow(payload: JsonRecord, { all, call }: ReadCounts): Unread | undefined {
    if (call !== undefined) {
      if (this.#unnamed !== undefined) this.#unnamed.readBy = all;
      this.#unnamed = undefined;
    } else if (readChoices(payload["choices"]).some((choice) => messagesIn(choice).some(hasArguments))) {
      this.#unnamed ??= { readBy: Infinity };
    }
    return this.#unnamed;
  }

  pass(payload: JsonRecord): void {
    if (!Array.isArray(payload["choices"])) return;
    this.#head = without(payload, "choices", ...EVENT_ECHOES);
    for (const choice of readChoices(payload["choices"])) this.#cutter.pass(choice);
  }

  cut(payload: JsonRecord, keep: number, fresh: number): string {
    if (Array.isArray(payload["choices"])) this.#head = without(payload, "choices", ...EVENT_ECHOES);
    const choices = cutChoices(payload["choices"], keep, (choice, allowance) => {
      const open = { ...without(choice, ...ENDINGS), finish_reason: null };
      if (fresh <= keep) return open;
      return { ...without(open, ...ECHOES, ...SAID), ...(this.#cutter.cut(choice, allowance) ?? { delta: {} }) };
    });
    return dataFrame({ ...without(payload, ...EVENT_ECHOES), choices });
  }

  end(signal: TerminationSignal): string {
    const choice = { index: 0, delta: {}, logprobs: null, finish_reason: toChatFinish(signal).word };
    const last = dataFrame({ ...this.#head, choices: [choice], fullstop: toPortableSignal(signal) });
    return `${last}data: [DONE]\n\n`;
  }
}
