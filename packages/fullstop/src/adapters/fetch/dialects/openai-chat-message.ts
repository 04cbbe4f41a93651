import { isRecord, listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { ownMessages } from "../../../wire/openai-chat/own-messages.ts";
import { cutAnnotations, editUntilCut, without } from "./editor.ts";
import type { Allowance } from "./editor.ts";
import { ChatCallCutter } from "./openai-chat-calls.ts";

/** Fields of a choice or a message that say the text once more. */
export const ECHOES = ["logprobs", "obfuscation", "thinking_blocks", "provider_specific_fields"] as const;

/** Cuts what is said in the choices of one answer, each field in the order in which it is read. */
export class ChatCutter {
  readonly #calls = new ChatCallCutter();
  /** How much of the content has come, which tells what a message beside a piece adds to it. */
  #textLength = 0;
  /** Whether thinking has come in a field of its own, so that what is in its details is no more than that. */
  #isThinkingTold = false;

  /** Reads a choice that has been shown. */
  pass(choice: JsonRecord): void {
    for (const one of messagesIn(choice)) {
      this.#calls.pass(one);
      this.#isThinkingTold ||= thoughtIn(one) !== "";
      this.#textLength += textLengthOf(one);
    }
    if (!isRecord(choice["delta"])) return;
    const { length } = stringOf(recordOf(choice["message"])["content"]);
    this.#textLength = Math.max(this.#textLength, length);
  }

  /** What is said in a choice, as far as it may be shown; undefined where nothing is read. */
  cut({ delta, message, messages }: JsonRecord, allowance: Allowance): JsonRecord | undefined {
    if (isRecord(delta)) {
      const piece = { delta: this.#cutMessage(delta, allowance) };
      return isRecord(message) && !allowance.isCut ? { ...piece, message: this.#cutRest(message, allowance) } : piece;
    }
    if (isRecord(message)) return { message: this.#cutMessage(message, allowance) };
    if (!Array.isArray(messages)) return undefined;
    return { messages: editUntilCut(ownMessages(messages), allowance, (one) => this.#cutMessage(one, allowance)) };
  }

  /** Perplexity sends all of the message so far beside each piece of it. Only the content is read there. */
  #cutRest({ role, content }: JsonRecord, allowance: Allowance): JsonRecord {
    const whole = stringOf(content);
    const shown = whole.slice(0, this.#textLength) + allowance.take(whole.slice(this.#textLength));
    return { ...(typeof role === "string" && { role }), content: shown };
  }

  #cutMessage(message: JsonRecord, allowance: Allowance): JsonRecord {
    this.#textLength += textLengthOf(message);
    const { refusal, audio } = message;
    const said = {
      ...this.#cutReasoning(message, allowance),
      ...cutContent(message, allowance),
      ...(typeof refusal === "string" && { refusal: allowance.take(refusal) }),
    };
    const calls = this.#calls.cut(message, allowance);
    const spoken = isRecord(audio) ? cutAudio(audio, allowance) : {};
    // Calls may be other ones also where nothing is cut: arguments that waited for a name are written behind it.
    if (!allowance.isCut) return { ...message, ...calls };
    return { ...without(message, ...ECHOES, "tool_calls", "function_call", "audio"), ...said, ...calls, ...spoken };
  }

  /** Of several fields for thinking the first that is filled counts, and the others say the same. */
  #cutReasoning(message: JsonRecord, allowance: Allowance): JsonRecord {
    const { reasoning_content: content, reasoning, reasoning_details: details } = message;
    const thought = thoughtIn(message);
    this.#isThinkingTold ||= thought !== "";
    if (thought === "") {
      if (!Array.isArray(details) || this.#isThinkingTold) return {};
      return { reasoning_details: editUntilCut(details, allowance, (detail) => cutDetail(detail, allowance)) };
    }
    const shown = allowance.take(thought);
    if (shown.length === thought.length) return {};
    return {
      ...(content !== undefined && { reasoning_content: content === thought ? shown : "" }),
      ...(reasoning !== undefined && { reasoning: reasoning === thought ? shown : "" }),
      ...(details !== undefined && { reasoning_details: [] }),
    };
  }
}

/** The messages of a choice, or the pieces of them. */
export function messagesIn({ delta, message, messages }: JsonRecord): readonly JsonRecord[] {
  if (isRecord(delta)) return [delta];
  return isRecord(message) ? [message] : ownMessages(messages);
}

/** The thinking in the fields of its own. */
function thoughtIn({ reasoning_content: content, reasoning }: JsonRecord): string {
  return stringOf(content) || stringOf(reasoning);
}

/** How long the content of a message is, spoken or written. */
function textLengthOf({ content, audio }: JsonRecord): number {
  const { length: spoken } = stringOf(recordOf(audio)["transcript"]);
  if (typeof content === "string") return content.length + spoken;
  return listOf(content)
    .map(recordOf)
    .filter(({ type }) => type !== "refusal" && type !== "thinking")
    .reduce((length, { text }) => length + stringOf(text).length, spoken);
}

function cutContent({ content, annotations }: JsonRecord, allowance: Allowance): JsonRecord {
  if (Array.isArray(content)) return { content: editUntilCut(content, allowance, (part) => cutPart(part, allowance)) };
  if (typeof content !== "string") return {};
  const shown = allowance.take(content);
  return {
    content: shown,
    ...(Array.isArray(annotations) && { annotations: cutAnnotations(annotations, shown.length) }),
  };
}

/** What is spoken is cut where it is written; the sound itself says it all. */
function cutAudio(audio: JsonRecord, allowance: Allowance): JsonRecord {
  const shown = allowance.take(stringOf(audio["transcript"]));
  if (!allowance.isCut) return { audio };
  if (shown === "") return {};
  const { id, data } = audio;
  return {
    audio: { ...(id !== undefined && { id }), ...(data !== undefined && { data: "" }), transcript: shown },
  };
}

/** A piece of thinking that comes as a list. Of its two fields the summary counts where the text is empty. */
function cutDetail(detail: JsonRecord, allowance: Allowance): JsonRecord {
  const field = stringOf(detail["text"]) === "" ? "summary" : "text";
  const thought = stringOf(detail[field]);
  const shown = allowance.take(thought);
  if (shown.length === thought.length) return detail;
  return { ...without(detail, "text", "summary"), [field]: shown };
}

/** A part of content that comes as a list, by its type: text, a refusal, or thinking as Mistral writes it. */
function cutPart(part: JsonRecord, allowance: Allowance): JsonRecord {
  const { type, thinking } = part;
  if (type === "thinking" && Array.isArray(thinking)) {
    const kept = editUntilCut(thinking, allowance, (piece) => cutField(piece, "text", allowance));
    return allowance.isCut ? { ...part, thinking: kept } : part;
  }
  return cutField(part, type === "refusal" || type === "thinking" ? type : "text", allowance);
}

function cutField(part: JsonRecord, field: string, allowance: Allowance): JsonRecord {
  const text = stringOf(part[field]);
  const shown = allowance.take(text);
  return shown.length === text.length ? part : { ...part, [field]: shown };
}
