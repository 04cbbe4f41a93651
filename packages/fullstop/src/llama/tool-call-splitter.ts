import type { FinishEvent, GenerationEvent, TextEvent } from "../events.ts";
import type { Sink } from "../stage.ts";
import { createTerminationSignal, isTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { ToolCallBlock } from "./tool-call-block.ts";
import type { BlockEnding } from "./tool-call-problem.ts";

/** The two tokens with which a model frames a tool call. */
export interface ToolCallMarkers {
  readonly open: string;
  readonly close: string;
  readonly openId: number;
  readonly closeId: number;
}

/** What the reading of blocks is told. */
export interface ToolCallSplitterSettings {
  readonly markers: ToolCallMarkers;
  readonly endTokenIds: ReadonlySet<number>;
  readonly createCallId: () => string;
  readonly oneCall: boolean;
  readonly onMalformed: (problem: string) => void;
}

type TokenIds = readonly number[] | undefined;

const NO_TOKENS: readonly number[] = [];

/**
 * Finds the blocks of one generation by their marker tokens and makes calls of them. Each token goes on at the step at
 * which it came, with text or arguments or with neither, so that whoever counts them downstream is never behind.
 */
export class ToolCallSplitter implements Sink<GenerationEvent> {
  readonly #next: Sink<GenerationEvent>;
  readonly #settings: ToolCallSplitterSettings;
  #state: "open" | "finished" = "open";
  #block: ToolCallBlock | undefined = undefined;
  /** The call that the block has become. */
  #callId: string | undefined = undefined;
  #problem: string | undefined = undefined;

  constructor(next: Sink<GenerationEvent>, settings: ToolCallSplitterSettings) {
    this.#next = next;
    this.#settings = settings;
  }

  /** Why the calls of a generation that ends now cannot all be run; undefined when they can. */
  get problem(): string | undefined {
    const conclusion = this.#block?.conclude("cut");
    return conclusion === undefined || conclusion.isCall ? this.#problem : conclusion.problem;
  }

  /** The ending of a generation that has made all the calls it may make; undefined while it has not. */
  get ownEnd(): TerminationSignal | undefined {
    return this.#state === "finished" ? ONE_CALL : undefined;
  }

  push(event: GenerationEvent): void {
    if (this.#state === "finished") return;
    if (event.type === "text") {
      this.#readText(event);
      return;
    }
    if (event.type === "finish") this.#endBlock(isNaturalEnd(event) ? "ended" : "cut", "");
    this.#next.push(event);
  }

  end(): void {
    this.#endBlock("cut", "");
    this.#next.end();
  }

  #readText(event: TextEvent): void {
    const { text, tokenIds } = event;
    let marker = this.#findMarker(tokenIds, 0);
    if (tokenIds === undefined || marker < 0) {
      if (this.#block === undefined) this.#next.push(event);
      else this.#readBlock(this.#block, text, tokenIds);
      return;
    }
    let textFrom = 0;
    let tokensFrom = 0;
    for (; marker >= 0 && this.#state === "open"; marker = this.#findMarker(tokenIds, tokensFrom)) {
      const { open, close, openId } = this.#settings.markers;
      const opens = tokenIds[marker] === openId;
      const literal = opens ? open : close;
      // Usually the marker is alone in its event. Where a source sends several tokens at once, the marker's own
      // spelling tells which text lies before it; a source that does not spell it out leaves all of it behind.
      const at = text.indexOf(literal, textFrom);
      this.#readPart(text.slice(textFrom, Math.max(at, textFrom)), tokenIds.slice(tokensFrom, marker));
      if (at >= 0) textFrom = at + literal.length;
      tokensFrom = marker + 1;
      this.#crossMarker(opens, tokenIds.slice(marker, tokensFrom));
    }
    if (this.#state === "open") this.#readPart(text.slice(textFrom), tokenIds.slice(tokensFrom));
  }

  #findMarker(tokenIds: TokenIds, from: number): number {
    if (tokenIds === undefined) return -1;
    const { openId, closeId } = this.#settings.markers;
    for (let index = from; index < tokenIds.length; index++) {
      if (tokenIds[index] === openId || tokenIds[index] === closeId) return index;
    }
    return -1;
  }

  /** Reads what lies between two markers of one event. */
  #readPart(text: string, tokenIds: readonly number[]): void {
    if (text === "" && tokenIds.length === 0) return;
    if (this.#block === undefined) this.#next.push({ type: "text", text, tokenIds });
    else this.#readBlock(this.#block, text, tokenIds);
  }

  #crossMarker(opens: boolean, tokenIds: readonly number[]): void {
    if (!opens && this.#block !== undefined) {
      this.#leaveBlock("closed", "", tokenIds);
      return;
    }
    if (opens) {
      this.#endBlock("interrupted", "");
      this.#block = new ToolCallBlock();
    }
    this.#passTokens(tokenIds);
  }

  #readBlock(block: ToolCallBlock, text: string, tokenIds: TokenIds): void {
    const json = block.read(text);
    if (this.#callId === undefined && block.name !== undefined) {
      this.#callId = this.#settings.createCallId();
      this.#next.push({ type: "tool-call-start", callId: this.#callId, name: block.name });
    }
    const { endTokenIds } = this.#settings;
    if (tokenIds?.some((id) => endTokenIds.has(id)) === true) this.#leaveBlock("ended", json, tokenIds);
    else if (this.#callId === undefined) this.#passTokens(tokenIds);
    else this.#passArguments(this.#callId, json, tokenIds);
  }

  /** Ends the block, lets the tokens pass that ended it, and ends the generation if one call is all it may make. */
  #leaveBlock(ending: BlockEnding, json: string, tokenIds: TokenIds): void {
    if (this.#endBlock(ending, json) && this.#settings.oneCall) this.#state = "finished";
    this.#passTokens(tokenIds);
    if (this.#state === "finished") this.#next.push({ type: "finish", signal: ONE_CALL });
  }

  /** Ends the block, if there is one, with the last of its arguments, and returns whether it was a call. */
  #endBlock(ending: BlockEnding, json: string): boolean {
    const conclusion = this.#block?.conclude(ending);
    if (conclusion === undefined) return false;
    const callId = this.#callId;
    if (!conclusion.isCall) this.#report(conclusion.problem);
    if (callId !== undefined) {
      this.#passArguments(callId, conclusion.isCall ? json + conclusion.json : json, NO_TOKENS);
    }
    // Not sooner: a rule that ends the generation at those arguments ends it within the block.
    this.#block = undefined;
    this.#callId = undefined;
    if (callId === undefined || !conclusion.isCall) return false;
    this.#next.push({ type: "tool-call-end", callId });
    return true;
  }

  #report(problem: string): void {
    this.#problem = problem;
    this.#settings.onMalformed(problem);
  }

  #passTokens(tokenIds: TokenIds): void {
    if (tokenIds !== undefined && tokenIds.length > 0) this.#next.push({ type: "text", text: "", tokenIds });
  }

  #passArguments(callId: string, json: string, tokenIds: TokenIds): void {
    if (json === "" && (tokenIds === undefined || tokenIds.length === 0)) return;
    this.#next.push({ type: "tool-call-delta", callId, json, tokenIds });
  }
}

const ONE_CALL = createTerminationSignal({
  reason: "natural_completion",
  originalField: "parallel_tool_calls",
  originalValue: "false",
  message: "One tool call is complete",
});

/** Whether a finish says that the model was done, as opposed to having been stopped. */
export function isNaturalEnd({ signal }: FinishEvent): boolean {
  return isTerminationSignal(signal) && (signal.reason === "natural_completion" || signal.reason === "tool_calls");
}
