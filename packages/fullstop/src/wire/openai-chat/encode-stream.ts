import type { CitationEvent, GenerationEvent } from "../../events.ts";
import type { Sink, Stage } from "../../stage.ts";
import { sayFinish, toPortableSignal } from "../writing/finish.ts";
import { dataFrame } from "../writing/frames.ts";
import { warnOfError, warnOfOpaque } from "../writing/losses.ts";
import type { Warn } from "../writing/options.ts";
import type { AnswerEnding, AnswerHead, AnswerPart, AnswerWriter, GrowingPart, TextPart } from "../writing/parts.ts";
import { defineAnswerEncoder } from "../writing/sink.ts";
import type { EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { encodeAnnotation } from "./encode-citations.ts";
import { encodeOpenaiChatError } from "./encode-error.ts";
import { encodeCallProof, encodeCalled } from "./encode-response.ts";
import { encodeDetails } from "./reasoning-details.ts";
import { encodeOpenaiChatUsage } from "./encode-usage.ts";
import { toChatFinish } from "./finish.ts";
import type { ChatFinishReason } from "./finish.ts";

/** What closes a chunk after the value of a delta's only field. */
const CHUNK_TAIL = '},"finish_reason":null}]}\n\n';

/**
 * Writes events as the chunks of a Chat Completions stream. Thinking goes into `reasoning_content`, as most servers
 * have it. An error is the last frame and has no `[DONE]` after it, so that no client takes it for a success. Token
 * counts come in a chunk without choices, unless `includeUsage` is false.
 */
export function encodeOpenaiChatStream(options: EncodeOptions = {}): Stage<GenerationEvent, string> {
  const { includeUsage = true } = options;
  return defineAnswerEncoder("openai-chat", options, (next, warn) => new OpenaiChatWriter(next, warn, includeUsage));
}

class OpenaiChatWriter implements AnswerWriter {
  readonly #next: Sink<string>;
  readonly #warn: Warn;
  readonly #includeUsage: boolean;
  // OpenAI's client keeps the last piece of a list that it does not put together, so there is one piece of each: who is
  // quoted, and the proofs of thinking.
  readonly #annotations: JsonRecord[] = [];
  readonly #details: JsonRecord[] = [];
  #chunk: JsonRecord = {};
  // All that comes before a piece of text, so that only the piece itself has to be made into JSON.
  #textHead = "";
  #reasoningHead = "";
  #deltaHead = "";

  constructor(next: Sink<string>, warn: Warn, includeUsage: boolean) {
    this.#next = next;
    this.#warn = warn;
    this.#includeUsage = includeUsage;
  }

  start({ id, model, created }: AnswerHead): void {
    this.#chunk = { id, object: "chat.completion.chunk", created, model };
    this.#deltaHead = `data: ${JSON.stringify(this.#chunk).slice(0, -1)},"choices":[{"index":0,"delta":{`;
    this.#textHead = `${this.#deltaHead}"content":`;
    this.#reasoningHead = `${this.#deltaHead}"reasoning_content":`;
    this.#writeDelta({ role: "assistant", content: "" }, null);
  }

  open(part: AnswerPart): void {
    if (part.type === "opaque") warnOfOpaque(this.#warn);
    if (part.type !== "tool-call") return;
    const { callIndex: index, callId: id } = part;
    this.#writeDelta({ tool_calls: [{ index, id, ...encodeCalled(part, "") }] }, null);
  }

  write(part: GrowingPart, piece: string): void {
    const json = JSON.stringify(piece);
    if (part.type === "text") {
      this.#next.push(this.#textHead + json + CHUNK_TAIL);
    } else if (part.type === "reasoning") {
      part.text += piece;
      this.#next.push(this.#reasoningHead + json + CHUNK_TAIL);
    } else {
      const holder = part.isText ? '"custom":{"input":' : '"function":{"arguments":';
      const head = `${this.#deltaHead}"tool_calls":[{"index":${part.callIndex},${holder}`;
      this.#next.push(`${head}${json}}}]${CHUNK_TAIL}`);
    }
  }

  cite(_part: TextPart, citation: CitationEvent): void {
    this.#annotations.push(...encodeAnnotation(citation, this.#warn));
  }

  close(part: AnswerPart): void {
    if (part.type === "reasoning") {
      this.#details.push(...encodeDetails(part, this.#warn));
      return;
    }
    const proof = encodeCallProof(part, this.#warn);
    if (part.type !== "tool-call" || proof === undefined) return;
    // A reader of pieces of arguments finds them in every piece of a call.
    const piece = part.isText ? { custom: { input: "" } } : { function: { arguments: "" } };
    this.#writeDelta({ tool_calls: [{ index: part.callIndex, ...piece, ...proof }] }, null);
  }

  finish({ signal, usage }: AnswerEnding): void {
    const reason = sayFinish(toChatFinish(signal), this.#warn);
    if (this.#annotations.length > 0) this.#writeDelta({ annotations: this.#annotations }, null);
    if (reason === undefined) {
      warnOfError(this.#warn, [], usage);
      this.#next.push(dataFrame(encodeOpenaiChatError(signal).body));
      return;
    }
    if (this.#details.length > 0) this.#writeDelta({ reasoning_details: this.#details }, null);
    this.#writeDelta({}, reason, { fullstop: toPortableSignal(signal) });
    if (usage !== undefined && this.#includeUsage) {
      this.#next.push(dataFrame({ ...this.#chunk, choices: [], usage: encodeOpenaiChatUsage(usage) }));
    }
    this.#next.push("data: [DONE]\n\n");
  }

  #writeDelta(delta: JsonRecord, reason: ChatFinishReason | null, more?: JsonRecord): void {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    this.#next.push(dataFrame({ ...this.#chunk, choices, ...more }));
  }
}
