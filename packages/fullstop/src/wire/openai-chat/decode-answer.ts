import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { failureSignal, readFailure } from "../reading/failure.ts";
import { isAbsent, meaningOf } from "../reading/finish-words.ts";
import type { DecodeOptions } from "../format.ts";
import { isRecord, jsonTextOf, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { ChatCallReader } from "./decode-calls.ts";
import { ChatCitationReader } from "./decode-citations.ts";
import { ChatReasoningReader } from "./decode-reasoning.ts";
import { decodeChatUsage } from "./decode-usage.ts";
import { ownMessages } from "./own-messages.ts";

/**
 * Opens a reader for an answer in Chat Completions, from whoever speaks it. The fields that only some of them send
 * (reasoning under several names, the upstream's own finish value, the matched stop string, errors in a field of
 * their own) are read wherever they stand, because servers behind a router do not say who they are.
 */
export function openChatReader(answer: Answer, options: DecodeOptions): AnswerReader {
  return new ChatReader(answer, options.choice ?? 0);
}

class ChatReader implements AnswerReader {
  readonly #answer: Answer;
  readonly #calls: ChatCallReader;
  readonly #citations: ChatCitationReader;
  readonly #reasoning: ChatReasoningReader;
  readonly #choice: number;
  readonly #field: string;
  #textLength = 0;

  constructor(answer: Answer, choice: number) {
    this.#answer = answer;
    this.#calls = new ChatCallReader(answer.calls);
    this.#citations = new ChatCitationReader(answer);
    this.#reasoning = new ChatReasoningReader(answer);
    this.#choice = choice;
    this.#field = `choices[${choice}]`;
    answer.beforeEnd(() => {
      this.#calls.flush();
      if (this.#calls.isLost) answer.malformed();
      this.#reasoning.endThought();
    });
  }

  read(value: JsonRecord, _event: string, isDocument: boolean): void {
    const { choices } = value;
    if (isDocument && (Array.isArray(choices) || "object" in value)) this.#answer.document();
    let failure: JsonRecord | undefined;
    if (Array.isArray(choices)) {
      if (!this.#answer.isStarted && (choices.length > 0 || stringOf(value["id"]) !== "")) {
        this.#answer.start(value["id"], value["model"], value["created"]);
      }
      for (const [position, choice] of listOf(choices).entries()) {
        if (!isRecord(choice) || (choice["index"] ?? position) !== this.#choice) continue;
        this.#readChoice(choice);
        if (isRecord(choice["error"])) failure ??= choice["error"];
      }
    }
    this.#citations.readSources(value);
    if (isRecord(value["usage"])) this.#answer.usage(decodeChatUsage(value["usage"]));
    if (isRecord(value["x_groq"])) this.#readGroq(value["x_groq"]);
    // What the answer has cost until then stands behind it.
    if (failure !== undefined) this.#answer.fail(failureSignal(readFailure(failure)));
  }

  #readChoice(choice: JsonRecord): void {
    const { delta, message, messages } = choice;
    if (isRecord(delta)) {
      this.#readMessage(delta, "piece");
      if (isRecord(message)) this.#readRest(message);
    } else if (isRecord(message)) {
      this.#answer.document();
      this.#readMessage(message, "whole");
    } else if (Array.isArray(messages)) {
      this.#answer.document();
      for (const one of ownMessages(messages)) this.#readMessage(one, "whole");
    }
    if (isRecord(choice["usage"])) this.#answer.usage(decodeChatUsage(choice["usage"]));
    this.#readFinish(choice);
  }

  /** Perplexity sends all of the message so far beside each piece, and a whole answer beside an empty piece. */
  #readRest({ content }: JsonRecord): void {
    if (typeof content === "string" && content.length > this.#textLength)
      this.#readText(content.slice(this.#textLength));
  }

  #readText(text: string): void {
    this.#textLength += text.length;
    this.#answer.text(text);
  }

  #readMessage(message: JsonRecord, kind: "piece" | "whole"): void {
    const answer = this.#answer;
    this.#reasoning.read(message, kind);
    const { content } = message;
    const hasContent = content !== undefined && content !== null && content !== "";
    // Some servers have an empty list of calls in every piece.
    if (hasContent || listOf(message["tool_calls"]).length > 0) this.#reasoning.endThought();
    if (typeof content === "string") this.#readText(content);
    else if (Array.isArray(content)) for (const part of listOf(content)) this.#readPart(recordOf(part));
    if (typeof message["refusal"] === "string") answer.refusal(message["refusal"]);
    if (Array.isArray(message["tool_calls"])) {
      for (const [position, call] of listOf(message["tool_calls"]).entries()) {
        this.#calls.read(recordOf(call), position);
      }
    }
    if (isRecord(message["function_call"])) this.#readFunctionCall(message["function_call"]);
    if (isRecord(message["audio"])) this.#readAudio(message["audio"]);
    if (Array.isArray(message["annotations"])) this.#citations.readAnnotations(message["annotations"]);
  }

  /** What is spoken is text as well. A spoken answer in pieces has no finish value but the date on which it expires. */
  #readAudio({ transcript, expires_at: expiry }: JsonRecord): void {
    this.#readText(stringOf(transcript));
    if (typeof expiry === "number") {
      const meaning = { ...meaningOf("stop"), isPlaceholder: true };
      this.#answer.finishAs(meaning, `${this.#field}.delta.audio.expires_at`, String(expiry));
    }
  }

  /** A part of content that comes as a list: text, a refusal, or thinking as Mistral writes it. */
  #readPart(part: JsonRecord): void {
    if (part["type"] === "refusal") this.#answer.refusal(stringOf(part["refusal"]));
    else if (part["type"] === "thinking") {
      const { thinking } = part;
      if (typeof thinking === "string") this.#answer.reasoning(thinking);
      else for (const piece of listOf(thinking)) this.#answer.reasoning(stringOf(recordOf(piece)["text"]));
      this.#answer.signature(part["signature"]);
    } else this.#readText(stringOf(part["text"]));
  }

  #readFunctionCall({ name, arguments: json }: JsonRecord): void {
    const { calls } = this.#answer;
    // An empty placeholder is sent with every message by some servers.
    if (!calls.has("function_call")) {
      if (stringOf(name) === "") return;
      calls.start("function_call", "", stringOf(name));
    }
    calls.add("function_call", jsonTextOf(json));
  }

  #readFinish(choice: JsonRecord): void {
    const { finish_reason: reason, native_finish_reason: native } = choice;
    const value = isAbsent(reason) ? choice["finishReason"] : reason;
    if (isAbsent(value)) return;
    // vLLM tells the number of a stop token here and nothing for the model's own end; SGLang tells the number of both.
    const { stop_reason: stopReason, matched_stop: matchedStop } = choice;
    const matched =
      (isWord(stopReason) ? undefined : stopReason) ?? (typeof matchedStop === "string" ? matchedStop : undefined);
    this.#answer.finish(`${this.#field}.finish_reason`, value, matched);
    // A router calls a call that the limit has cut a call; the upstream's own word tells.
    if (typeof native === "string" && isTelling(native, value)) {
      this.#answer.finish(`${this.#field}.native_finish_reason`, native);
    }
  }

  #readGroq({ error, usage }: JsonRecord): void {
    if (isRecord(usage)) this.#answer.usage(decodeChatUsage(usage));
    if (!isAbsent(error)) this.#answer.fail(failureSignal(readFailure(error)));
  }
}

/** Whether the upstream's word says more than the router's, which has only one for a good end. */
function isTelling(native: string, value: unknown): boolean {
  const { reason } = meaningOf(native);
  const isMore = reason !== "natural_completion" && reason !== "tool_calls" && reason !== "unknown";
  const isGood = typeof value === "string" && GOOD_ENDS.has(meaningOf(value).reason);
  return isMore && isGood;
}

const GOOD_ENDS: ReadonlySet<string> = new Set(["natural_completion", "tool_calls"]);

/** Whether a value is the upstream's own finish word, and not a stop string that has matched. */
function isWord(value: unknown): boolean {
  return typeof value === "string" && meaningOf(value).reason !== "unknown";
}
