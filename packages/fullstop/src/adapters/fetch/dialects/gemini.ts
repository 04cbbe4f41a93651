import type { TerminationSignal } from "../../../termination.ts";
import { toGeminiFinish } from "../../../wire/gemini/finish.ts";
import { recordOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { toPortableSignal } from "../../../wire/writing/finish.ts";
import { dataFrame } from "../../../wire/writing/frames.ts";
import { Allowance, cutChoices, editChoice, readChoices, without } from "./editor.ts";
import type { AnswerEditor, ReadCounts, StreamEditor, Unread } from "./editor.ts";
import { GeminiPartCutter, leavesCallOpen } from "./gemini-parts.ts";

/** Fields of a candidate that say how it ended. */
const ENDINGS = ["finishReason", "finishMessage", "continuationToken"] as const;

/** Fields of a candidate that quote its text. */
const ECHOES = ["logprobsResult", "avgLogprobs", "groundingMetadata"] as const;

/** Ends answers of Gemini. */
export const geminiEditor: AnswerEditor = {
  openStream: () => new GeminiStreamEditor(),
  // A chunk is an answer with less in it.
  isEvent: () => false,
  cutAnswer(body, keep, signal) {
    const allowance = new Allowance(keep);
    const cutter = new GeminiPartCutter();
    const finishReason = toGeminiFinish(signal).word;
    const candidates = editChoice(body["candidates"], (candidate) => {
      return { ...cutCandidate(candidate, cutter, allowance), finishReason };
    });
    return { ...body, candidates, fullstop: toPortableSignal(signal) };
  },
};

class GeminiStreamEditor implements StreamEditor {
  readonly #cutter = new GeminiPartCutter();
  #head: JsonRecord = {};
  #openCall: Unread | undefined;

  /** The arguments of a call that comes in pieces are read when its last piece is there. */
  follow(payload: JsonRecord, { all, call }: ReadCounts): Unread | undefined {
    const isOpen = readChoices(payload["candidates"]).reduce((wasOpen, candidate) => {
      return leavesCallOpen(recordOf(candidate["content"])["parts"], wasOpen);
    }, this.#openCall !== undefined);
    // Calls come one after the other, so that the first that was read is the one that was open.
    if (this.#openCall !== undefined && (!isOpen || call !== undefined)) {
      this.#openCall.readBy = call ?? all;
      this.#openCall = undefined;
    }
    if (isOpen) this.#openCall ??= { readBy: Infinity };
    return this.#openCall;
  }

  pass(payload: JsonRecord): void {
    this.#readHead(payload);
    for (const candidate of readChoices(payload["candidates"]))
      this.#cutter.pass(recordOf(candidate["content"])["parts"]);
  }

  cut(payload: JsonRecord, keep: number, fresh: number): string {
    this.#readHead(payload);
    const candidates = cutChoices(payload["candidates"], keep, (candidate, allowance) => {
      return fresh <= keep ? without(candidate, ...ENDINGS) : cutCandidate(candidate, this.#cutter, allowance);
    });
    return dataFrame({ ...without(payload, "fullstop"), candidates });
  }

  #readHead(payload: JsonRecord): void {
    this.#head = { ...this.#head, ...without(payload, "candidates", "promptFeedback", "fullstop") };
  }

  end(signal: TerminationSignal): string {
    // Google's client drops the history of a chat when a chunk has no part in it.
    const content = { role: "model", parts: [{ text: "" }] };
    const candidate = { content, finishReason: toGeminiFinish(signal).word, index: 0 };
    return dataFrame({ candidates: [candidate], ...this.#head, fullstop: toPortableSignal(signal) });
  }
}

function cutCandidate(candidate: JsonRecord, cutter: GeminiPartCutter, allowance: Allowance): JsonRecord {
  const content = recordOf(candidate["content"]);
  const parts = cutter.cut(content["parts"], allowance);
  const shown = parts.length === 0 ? [{ text: "" }] : parts;
  return { ...without(candidate, ...ENDINGS, ...ECHOES), content: { ...content, parts: shown } };
}
