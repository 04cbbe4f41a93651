import { SurrogateJoiner } from "../../text/surrogate-joiner.ts";
import { CallText } from "./call-text.ts";
import type { AnswerWriter, ToolCallPart } from "./parts.ts";

/** A call under way, and the half of a character that its last piece may have ended in. */
interface OpenCall {
  readonly part: ToolCallPart;
  readonly joiner: SurrogateJoiner;
  /** What takes its text out of its arguments, where only that is written. */
  readonly text: CallText | undefined;
}

/** Writes the arguments of the calls of one answer, of which several can be open at a time. */
export class OpenCalls {
  readonly #writer: AnswerWriter;
  readonly #calls = new Map<string, OpenCall>();

  constructor(writer: AnswerWriter) {
    this.#writer = writer;
  }

  /** Takes in a call that begins. One that takes over the id of another without an end leaves that one cut. */
  take(part: ToolCallPart): void {
    const earlier = this.#calls.get(part.callId);
    if (earlier !== undefined) this.#flush(earlier, false);
    const text = part.isText ? new CallText() : undefined;
    this.#calls.set(part.callId, { part, joiner: new SurrogateJoiner(), text });
  }

  /** Adds to the arguments of a call. Tells whether there is such a call. */
  add(callId: string, json: string): boolean {
    const call = this.#calls.get(callId);
    if (call === undefined) return false;
    const { part, joiner, text } = call;
    this.#write(part, joiner.push(text === undefined ? json : text.push(json)));
    return true;
  }

  /** Writes the rest of a call that has its end, and gives it; nothing if there is no such call. */
  end(callId: string): ToolCallPart | undefined {
    const call = this.#calls.get(callId);
    if (call === undefined) return undefined;
    this.#calls.delete(callId);
    this.#flush(call, true);
    const { part } = call;
    // Whoever runs a call of a function parses its arguments, and no text is no JSON.
    if (part.isEmpty && !part.isText) this.#write(part, "{}");
    return part;
  }

  /** Writes the rest of all calls that get no end. */
  endAll(): void {
    for (const call of this.#calls.values()) this.#flush(call, false);
  }

  #flush({ part, joiner, text }: OpenCall, isWhole: boolean): void {
    this.#write(part, joiner.push(text?.end(isWhole) ?? "") + joiner.end());
  }

  #write(part: ToolCallPart, piece: string): void {
    if (piece === "") return;
    if (part.isEmpty) part.isEmpty = piece.trim() === "";
    this.#writer.write(part, piece);
  }
}
