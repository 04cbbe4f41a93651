import type { TerminationSignal } from "../../../termination.ts";
import { toGeminiFinish } from "../../../wire/gemini/finish.ts";
import { isRecord, recordOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { toPortableSignal } from "../../../wire/writing/finish.ts";
import { dataFrame } from "../../../wire/writing/frames.ts";
import { Allowance, cutChoices, editChoice, editUntilCut, without } from "./editor.ts";
import type { AnswerEditor, StreamEditor } from "./editor.ts";

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
    const finishReason = toGeminiFinish(signal).word;
    const candidates = editChoice(body["candidates"], (candidate) => {
      return { ...cutCandidate(candidate, allowance), finishReason };
    });
    return { ...body, candidates, fullstop: toPortableSignal(signal) };
  },
};

class GeminiStreamEditor implements StreamEditor {
  #head: JsonRecord = {};

  pass(payload: JsonRecord): void {
    this.#head = { ...this.#head, ...without(payload, "candidates", "promptFeedback") };
  }

  cut(payload: JsonRecord, keep: number, fresh: number): string {
    this.pass(payload);
    const candidates = cutChoices(payload["candidates"], keep, (candidate, allowance) => {
      return fresh <= keep ? without(candidate, ...ENDINGS) : cutCandidate(candidate, allowance);
    });
    return dataFrame({ ...payload, candidates });
  }

  end(signal: TerminationSignal): string {
    // Google's client drops the history of a chat when a chunk has no part in it.
    const content = { role: "model", parts: [{ text: "" }] };
    const candidate = { content, finishReason: toGeminiFinish(signal).word, index: 0 };
    return dataFrame({ candidates: [candidate], ...this.#head, fullstop: toPortableSignal(signal) });
  }
}

function cutCandidate(candidate: JsonRecord, allowance: Allowance): JsonRecord {
  const content = recordOf(candidate["content"]);
  const parts = editUntilCut(content["parts"], allowance, (part) => cutPart(part, allowance));
  const shown = parts.length === 0 ? [{ text: "" }] : parts;
  return { ...without(candidate, ...ENDINGS, ...ECHOES), content: { ...content, parts: shown } };
}

/** A part with as much of it as may be shown; half a call cannot be said. */
function cutPart(part: JsonRecord, allowance: Allowance): JsonRecord | undefined {
  const { text, functionCall } = part;
  if (typeof text === "string") return { ...part, text: allowance.take(text) };
  if (!isRecord(functionCall)) return part;
  const json = JSON.stringify(functionCall["args"] ?? {});
  return allowance.take(json).length === json.length ? part : undefined;
}
