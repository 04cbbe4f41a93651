import { isRecord, listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { PartialArguments, isInPieces } from "../../../wire/gemini/decode-partial-arguments.ts";
import type { Allowance } from "./editor.ts";

/**
 * Cuts the parts of one answer. Half a call cannot be said in this dialect, so a call that cannot be shown to its end is
 * left out, with all the pieces that it comes in.
 */
export class GeminiPartCutter {
  /** The arguments of a call that comes in pieces, as far as they have come. */
  #partial: PartialArguments | undefined;

  /** Reads parts that have been shown. */
  pass(parts: unknown): void {
    for (const part of listOf(parts)) this.#read(recordOf(part));
  }

  /** The parts up to the one in which the cut falls, that one with as much of it as may be shown. */
  cut(parts: unknown, allowance: Allowance): readonly JsonRecord[] {
    const kept: JsonRecord[] = [];
    /** The pieces of a call whose end has not come. */
    const open = new Set<JsonRecord>();
    for (const part of listOf(parts).map(recordOf)) {
      const shown = allowance.take(this.#read(part));
      const isCall = isRecord(part["functionCall"]);
      if (allowance.isCut) {
        if (shown !== "" && !isCall) kept.push({ ...part, text: shown });
        break;
      }
      kept.push(part);
      if (this.#partial === undefined) open.clear();
      else if (isCall) open.add(part);
    }
    // What is open has its end behind the cut.
    return kept.filter((part) => !open.has(part));
  }

  /** What is read in a part. Of a call in pieces that is all of its arguments, when the last of them is there. */
  #read({ functionCall: call, text }: JsonRecord): string {
    if (!isRecord(call)) return stringOf(text);
    if (this.#partial === undefined && stringOf(call["name"]) === "") return "";
    const isOpen = call["willContinue"] === true;
    if (isOpen || this.#partial !== undefined || isInPieces(call)) {
      this.#partial ??= new PartialArguments();
      for (const piece of listOf(call["partialArgs"])) this.#partial.add(recordOf(piece));
      if (isOpen) return "";
    }
    const whole = this.#partial?.value() ?? call["args"] ?? {};
    this.#partial = undefined;
    return JSON.stringify(whole);
  }
}

/** Whether parts leave a call open, given whether one was open before them. */
export function leavesCallOpen(parts: unknown, wasOpen: boolean): boolean {
  let isOpen = wasOpen;
  for (const part of listOf(parts)) {
    const call = recordOf(part)["functionCall"];
    if (isRecord(call) && (isOpen || stringOf(call["name"]) !== "")) isOpen = call["willContinue"] === true;
  }
  return isOpen;
}
