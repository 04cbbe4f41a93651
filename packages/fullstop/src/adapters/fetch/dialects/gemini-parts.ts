import { isRecord, listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { CallPieces, goesOn } from "../../../wire/gemini/decode-call-pieces.ts";
import type { Allowance } from "./editor.ts";

/**
 * Cuts the parts of one answer. Half a call cannot be said in this dialect, so a call that cannot be shown to its end is
 * left out, with all the pieces that it comes in.
 */
export class GeminiPartCutter {
  readonly #pieces = new CallPieces();

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
      if (!this.#pieces.isOpen) open.clear();
      else if (isCall) open.add(part);
    }
    // What is open has its end behind the cut.
    return kept.filter((part) => !open.has(part));
  }

  /** What is read in a part. Of a call in pieces that is all of its arguments, when the last of them is there. */
  #read({ functionCall: call, text }: JsonRecord): string {
    if (!isRecord(call)) return stringOf(text);
    const { brokenJson = "", wholeJson = "" } = this.#pieces.read(call);
    return brokenJson + wholeJson;
  }
}

/** Whether parts leave a call open, given whether one was open before them. */
export function leavesCallOpen(parts: unknown, wasOpen: boolean): boolean {
  let isOpen = wasOpen;
  for (const part of listOf(parts)) {
    const call = recordOf(part)["functionCall"];
    if (isRecord(call) && (isOpen || stringOf(call["name"]) !== "")) isOpen = goesOn(call);
  }
  return isOpen;
}
