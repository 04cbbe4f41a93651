import type { TerminationSignal } from "../../../termination.ts";
import { isRecord, jsonTextOf, listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { toChatFinish } from "../../../wire/openai-chat/finish.ts";
import { toPortableSignal } from "../../../wire/writing/finish.ts";
import { dataFrame } from "../../../wire/writing/frames.ts";
import { Allowance, cutAnnotations, cutChoices, editChoice, editUntilCut, without } from "./editor.ts";
import type { AnswerEditor, StreamEditor } from "./editor.ts";

/** Fields of a choice that say how it ended. */
const ENDINGS = ["finish_reason", "native_finish_reason", "stop_reason", "matched_stop"] as const;

/** Fields of a choice or a message that say the text once more. */
const ECHOES = ["logprobs", "audio", "obfuscation"] as const;

/** Ends answers in Chat Completions. */
export const chatEditor: AnswerEditor = {
  openStream: () => new ChatStreamEditor(),
  // A chunk looks like an answer, and some answers have a piece in them as chunks do.
  isEvent: () => false,
  cutAnswer(body, keep, signal) {
    const allowance = new Allowance(keep);
    const finish = { logprobs: null, finish_reason: toChatFinish(signal).word };
    const choices = editChoice(body["choices"], (choice) => {
      const rest = without(choice, ...ENDINGS, ...ECHOES, "delta", "message", "messages");
      return { ...rest, ...cutMessages(choice, allowance), ...finish };
    });
    return { ...body, choices, fullstop: toPortableSignal(signal) };
  },
};

class ChatStreamEditor implements StreamEditor {
  #head: JsonRecord = { object: "chat.completion.chunk" };

  pass(payload: JsonRecord): void {
    if (Array.isArray(payload["choices"])) this.#head = without(payload, "choices", "obfuscation");
  }

  cut(payload: JsonRecord, keep: number, fresh: number): string {
    this.pass(payload);
    const choices = cutChoices(payload["choices"], keep, (choice, allowance) => {
      return cutChoice(choice, allowance, fresh <= keep);
    });
    return dataFrame({ ...without(payload, "obfuscation"), choices });
  }

  end(signal: TerminationSignal): string {
    const choice = { index: 0, delta: {}, logprobs: null, finish_reason: toChatFinish(signal).word };
    const last = dataFrame({ ...this.#head, choices: [choice], fullstop: toPortableSignal(signal) });
    return `${last}data: [DONE]\n\n`;
  }
}

/** A choice of a chunk without an ending. */
function cutChoice(choice: JsonRecord, allowance: Allowance, isAll: boolean): JsonRecord {
  const open = { ...without(choice, ...ENDINGS), finish_reason: null };
  if (isAll) return open;
  const delta = cutMessage(recordOf(choice["delta"]), allowance);
  // Perplexity sends all of the message beside each piece of it.
  return { ...without(open, ...ECHOES, "message"), delta };
}

/** What is said in a choice of a whole answer. A piece says how the message beside it begins. */
function cutMessages({ delta, message, messages }: JsonRecord, allowance: Allowance): JsonRecord {
  const { left } = allowance;
  if (isRecord(delta)) {
    const piece = { delta: cutMessage(delta, allowance) };
    return isRecord(message) ? { ...piece, message: cutMessage(message, new Allowance(left)) } : piece;
  }
  if (isRecord(message) || !Array.isArray(messages)) return { message: cutMessage(recordOf(message), allowance) };
  return { messages: listOf(messages).map((one) => cutMessage(recordOf(one), allowance)) };
}

/** A message, or a piece of one, with as much of its text as may be shown, in the order in which it is read. */
function cutMessage(message: JsonRecord, allowance: Allowance): JsonRecord {
  const { refusal, tool_calls: calls } = message;
  return {
    ...without(message, ...ECHOES, "tool_calls"),
    ...cutReasoning(message, allowance),
    ...cutContent(message, allowance),
    ...(typeof refusal === "string" && { refusal: allowance.take(refusal) }),
    ...(Array.isArray(calls) && cutCalls(calls, allowance)),
  };
}

function cutContent({ content, annotations }: JsonRecord, allowance: Allowance): JsonRecord {
  if (Array.isArray(content)) return { content: listOf(content).map((part) => cutPart(recordOf(part), allowance)) };
  if (typeof content !== "string") return {};
  const shown = allowance.take(content);
  return {
    content: shown,
    ...(Array.isArray(annotations) && { annotations: cutAnnotations(annotations, shown.length) }),
  };
}

/** Of several fields for thinking the first that is filled counts, and the others say the same. */
function cutReasoning(message: JsonRecord, allowance: Allowance): JsonRecord {
  const { reasoning_content: content, reasoning, reasoning_details: details } = message;
  const thought = stringOf(content) || stringOf(reasoning);
  if (thought === "") {
    return Array.isArray(details)
      ? { reasoning_details: listOf(details).map((detail) => cutPart(recordOf(detail), allowance)) }
      : {};
  }
  const { length } = allowance.take(thought);
  return {
    ...(typeof content === "string" && { reasoning_content: content.slice(0, length) }),
    ...(typeof reasoning === "string" && { reasoning: reasoning.slice(0, length) }),
    ...(details !== undefined && length < thought.length && { reasoning_details: [] }),
  };
}

/** A part of content or thinking that comes as a list. */
function cutPart(part: JsonRecord, allowance: Allowance): JsonRecord {
  const { text, summary, refusal, thinking } = part;
  if (typeof text === "string") return { ...part, text: allowance.take(text) };
  if (typeof summary === "string") return { ...part, summary: allowance.take(summary) };
  if (typeof refusal === "string") return { ...part, refusal: allowance.take(refusal) };
  if (typeof thinking === "string") return { ...part, thinking: allowance.take(thinking) };
  if (!Array.isArray(thinking)) return part;
  return { ...part, thinking: listOf(thinking).map((piece) => cutPart(recordOf(piece), allowance)) };
}

function cutCalls(calls: readonly unknown[], allowance: Allowance): JsonRecord {
  const kept = editUntilCut(calls, allowance, (value) => {
    const call = recordOf(value["function"]);
    return { ...value, function: { ...call, arguments: allowance.take(jsonTextOf(call["arguments"])) } };
  });
  return kept.length === 0 ? {} : { tool_calls: kept };
}
