import type { CitationEvent, GenerationEvent } from "../../events.ts";
import type { Sink, Stage } from "../../stage.ts";
import { sayFinish, toPortableSignal } from "../writing/finish.ts";
import { dataFrame } from "../writing/frames.ts";
import { warnOfError } from "../writing/losses.ts";
import type { Warn } from "../writing/options.ts";
import type { AnswerEnding, AnswerHead, AnswerPart, AnswerWriter, GrowingPart, TextPart } from "../writing/parts.ts";
import { defineAnswerEncoder } from "../writing/sink.ts";
import type { EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { encodeSources } from "./encode-citations.ts";
import { encodeGeminiError } from "./encode-error.ts";
import {
  encodeCall,
  encodeCandidate,
  encodeGeminiHead,
  encodeProof,
  tokenOf,
  warnOfCutCall,
} from "./encode-response.ts";
import type { CandidateEnding } from "./encode-response.ts";
import { encodeGeminiUsage } from "./encode-usage.ts";
import { toGeminiFinish } from "./finish.ts";

/**
 * Writes events as the chunks of a Gemini stream. A tool call has no pieces there: it is written when it has its
 * end, and one that never has is left out.
 */
export function encodeGeminiStream(options: EncodeOptions = {}): Stage<GenerationEvent, string> {
  return defineAnswerEncoder("gemini", options, (next, warn) => new GeminiWriter(next, warn));
}

class GeminiWriter implements AnswerWriter {
  readonly #next: Sink<string>;
  readonly #warn: Warn;
  readonly #openCalls = new Set<AnswerPart>();
  #head: JsonRecord = {};
  #token: string | undefined;
  readonly #citations: CitationEvent[] = [];
  /** All visible text, in which citations have their places. */
  #text = "";
  // All that comes before and after a piece of text, so that only the piece itself has to be made into JSON.
  #textHead = "";
  #thoughtHead = "";
  #textTail = "";

  constructor(next: Sink<string>, warn: Warn) {
    this.#next = next;
    this.#warn = warn;
  }

  start(head: AnswerHead): void {
    this.#head = encodeGeminiHead(head);
    const parts = 'data: {"candidates":[{"content":{"role":"model","parts":[{';
    this.#textHead = `${parts}"text":`;
    this.#thoughtHead = `${parts}"thought":true,"text":`;
    this.#textTail = `}]},"index":0}],${JSON.stringify(this.#head).slice(1)}\n\n`;
  }

  open(part: AnswerPart): void {
    if (part.type === "tool-call") this.#openCalls.add(part);
    else if (part.type === "opaque") {
      const token = tokenOf(part);
      if (token === undefined) this.#writeParts([part.value]);
      else this.#token = token;
    }
  }

  write(part: GrowingPart, piece: string): void {
    if (part.type === "text") {
      this.#text += piece;
      this.#next.push(this.#textHead + JSON.stringify(piece) + this.#textTail);
    } else if (part.type === "reasoning") this.#next.push(this.#thoughtHead + JSON.stringify(piece) + this.#textTail);
    else part.text += piece;
  }

  cite(_part: TextPart, citation: CitationEvent): void {
    this.#citations.push(citation);
  }

  close(part: AnswerPart): void {
    if (part.type === "tool-call") {
      this.#openCalls.delete(part);
      for (const call of encodeCall(part, this.#warn)) this.#writeParts([call]);
    } else if (part.signature !== undefined) {
      this.#writeParts([{ text: "", thought: true, ...encodeProof(part) }]);
    }
  }

  finish({ signal, usage }: AnswerEnding): void {
    if (this.#openCalls.size > 0) warnOfCutCall(this.#warn);
    const reason = sayFinish(toGeminiFinish(signal), this.#warn);
    if (reason === undefined) {
      warnOfError(this.#warn, [], usage);
      this.#next.push(dataFrame(encodeGeminiError(signal).body));
      return;
    }
    // Google's client drops the history of a chat when a chunk has no part in it.
    const sources = encodeSources(this.#citations, this.#text, this.#warn);
    this.#writeParts(
      [{ text: "" }],
      { ...sources, finishReason: reason },
      {
        ...(usage && { usageMetadata: encodeGeminiUsage(usage) }),
        fullstop: toPortableSignal(signal),
      },
    );
  }

  #writeParts(parts: readonly JsonRecord[], ending?: CandidateEnding, more?: JsonRecord): void {
    this.#next.push(dataFrame({ candidates: [encodeCandidate(parts, ending, this.#token)], ...this.#head, ...more }));
  }
}
