import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { PartialArguments } from "./decode-partial-arguments.ts";

/** A call whose last piece has not come. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: PartialArguments;
}

/** What a piece says of the calls of an answer, in this order. */
export interface ReadPiece {
  /** The arguments of the call before it, as far as they came: another has begun, so it will never be whole. */
  readonly brokenJson?: string | undefined;
  /** Whether a call begins with it. */
  readonly isFirst: boolean;
  /** All arguments of the call, if it is the last of its pieces. */
  readonly wholeJson?: string | undefined;
}

/** Puts calls together that may come in pieces, of which the last says so by not saying that anything goes on. */
export class CallPieces {
  #open: OpenCall | undefined;

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  read(call: JsonRecord): ReadPiece {
    const { id, name, args } = call;
    const isOther = this.#open !== undefined && isOtherCall(this.#open, call);
    const brokenJson = isOther ? this.end() : undefined;
    const isFirst = this.#open === undefined;
    if (isFirst && stringOf(name) === "") return { isFirst: false };
    const open = this.#open ?? { id: stringOf(id), name: stringOf(name), arguments: new PartialArguments() };
    for (const piece of listOf(call["partialArgs"])) open.arguments.add(recordOf(piece));
    this.#open = goesOn(call) ? open : undefined;
    if (this.#open !== undefined) return { brokenJson, isFirst };
    // A call that has its arguments as a whole has no use for pieces.
    return { brokenJson, isFirst, wholeJson: JSON.stringify(isNothing(args) ? open.arguments.value() : args) };
  }

  /** Nothing comes any more: what has come of a call that is open, without the end of the object. */
  end(): string | undefined {
    const json = this.#open === undefined ? undefined : JSON.stringify(this.#open.arguments.value()).slice(0, -1);
    this.#open = undefined;
    return json;
  }
}

/** Whether more pieces of a call follow, be it of the call or of one of its values. */
export function goesOn(call: JsonRecord): boolean {
  return [call, ...listOf(call["partialArgs"])].some((piece) => recordOf(piece)["willContinue"] === true);
}

/** Whether a piece belongs to another call than the one that is open. Most pieces say nothing of where they belong. */
function isOtherCall(open: OpenCall, { id, name, args }: JsonRecord): boolean {
  if (stringOf(name) === "") return false;
  if (name !== open.name) return true;
  return open.id !== "" && stringOf(id) !== "" ? id !== open.id : isRecord(args);
}

function isNothing(args: unknown): boolean {
  return isRecord(args) ? Object.keys(args).length === 0 : args === undefined || args === null;
}
