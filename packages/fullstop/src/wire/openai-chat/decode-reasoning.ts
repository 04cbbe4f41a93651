import { MAX_EVENT_SIZE } from "../framing/sse.ts";
import { isRecord, listOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { Answer } from "../reading/answer.ts";
import { isProof, textOf } from "./reasoning-details.ts";

/** The fields of a detail that come in pieces. */
const GROWING = ["text", "summary", "data", "signature"] as const;

/** Reads thinking, under the names that servers have for it, and OpenRouter's proof for it. */
export class ChatReasoningReader {
  readonly #answer: Answer;
  /** The details that have come since the last proof was told, their pieces joined. */
  #details: JsonRecord[] = [];
  #size = 0;
  /** Whether thinking has come in a field of its own. */
  #isTold = false;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** The first field that holds something counts: servers that fill two of them fill them with the same. */
  read(message: JsonRecord, kind: "piece" | "whole"): void {
    const { reasoning_content: content, reasoning, reasoning_details: given } = message;
    const details = listOf(given).filter(isRecord);
    const thought = stringOf(content) || stringOf(reasoning);
    this.#isTold ||= thought !== "";
    this.#answer.reasoning(thought);
    // Details that come on their own after that are proofs, with the thinking in them once more.
    if (!this.#isTold) for (const detail of details) this.#answer.reasoning(textOf(detail));
    for (const detail of details) this.#keep(detail, kind);
  }

  /**
   * Something other than thinking begins, or the end has come: the proof is told, if there is one. Details that wait for
   * theirs go with it: Gemini's comes after the text that it has thought about.
   */
  endThought(): void {
    const details = this.#details;
    if (!details.some(isProof)) return;
    this.#details = [];
    this.#size = 0;
    this.#answer.signature(JSON.stringify(details));
  }

  #keep(detail: JsonRecord, kind: "piece" | "whole"): void {
    const last = kind === "piece" ? this.#details.at(-1) : undefined;
    const goesOn = last !== undefined && isSame(last, detail);
    // What says nothing new in every piece of a long thought must not count each time.
    this.#size += goesOn ? grownBy(detail) : JSON.stringify(detail).length;
    if (this.#size > MAX_EVENT_SIZE) throw new Error("The details of a thought are larger than the limit");
    if (goesOn) this.#details.splice(-1, 1, join(last, detail));
    else this.#details.push(detail);
  }
}

function grownBy(detail: JsonRecord): number {
  return GROWING.reduce((size, name) => size + stringOf(detail[name]).length, 0);
}

/** Whether two details are pieces of one. */
function isSame(one: JsonRecord, other: JsonRecord): boolean {
  const isOneId = (one["id"] ?? other["id"]) === (other["id"] ?? one["id"]);
  return (
    typeof one["index"] === "number" && one["index"] === other["index"] && one["type"] === other["type"] && isOneId
  );
}

/** One detail of two pieces: what grows is joined, and of everything else the last word counts. */
function join(one: JsonRecord, other: JsonRecord): JsonRecord {
  const said = Object.entries(other).filter(([, value]) => value !== null && value !== undefined);
  const grown = GROWING.filter((name) => typeof one[name] === "string" && typeof other[name] === "string").map(
    (name): [string, unknown] => [name, stringOf(one[name]) + stringOf(other[name])],
  );
  return Object.fromEntries([...Object.entries(one), ...said, ...grown]);
}
