import type { CitationEvent, Usage } from "../../events.ts";
import type { NativeFields } from "../../request.ts";
import type { TerminationSignal } from "../../termination.ts";
import type { JsonRecord } from "../json.ts";

/** What stands at the head of an answer in every dialect. */
export interface AnswerHead {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** What the answer repeats of its request. */
  readonly echo?: JsonRecord | undefined;
}

/** What is known of a part whatever its kind. */
export interface PartState {
  /** Its place among all the parts of the answer. */
  readonly index: number;
  /** What was written of it, as far as the writer has collected that here. */
  text: string;
  /** True when nothing more comes: something else has begun, or the call has its end. False at the end means cut. */
  isClosed: boolean;
  /** The provider's proof, known when the part is closed. */
  signature: string | undefined;
  /** The dialect of that provider, where it is known. */
  signedBy: string | undefined;
}

/** A run of visible text. */
export interface TextPart extends PartState {
  readonly type: "text";
  /** Where it begins among all the visible text of the answer. */
  readonly start: number;
  /** Who is quoted in it, as far as that was told. */
  readonly citations: CitationEvent[];
}

/** A run of thinking up to its signature. One that has its signature when it opens has no text to show. */
export interface ReasoningPart extends PartState {
  readonly type: "reasoning";
  /** True when the provider withholds the thinking and shows its signature instead. */
  readonly isRedacted: boolean;
}

/** A tool call; its text is the JSON of its arguments, or what the tool takes where that is plain text. */
export interface ToolCallPart extends PartState {
  readonly type: "tool-call";
  readonly callId: string;
  readonly name: string;
  /** True when the tool takes plain text and the dialect has such tools. */
  readonly isText: boolean;
  /** What only this dialect says of it. */
  readonly native: NativeFields | undefined;
  /** Its place among the tool calls of the answer. */
  readonly callIndex: number;
  /** True as long as nothing but blanks has come of its arguments. */
  isEmpty: boolean;
}

/** A part that is in the dialect already and goes out as it is. It closes as soon as it has opened. */
interface OpaquePart extends PartState {
  readonly type: "opaque";
  readonly value: JsonRecord;
}

/** A part that is written piece by piece. */
export type GrowingPart = TextPart | ReasoningPart | ToolCallPart;

/** A stretch of an answer that a dialect writes as one piece: a block, an item, a part. */
export type AnswerPart = GrowingPart | OpaquePart;

/** How an answer ended, and what else has to be said at its end. */
export interface AnswerEnding {
  readonly head: AnswerHead;
  readonly signal: TerminationSignal;
  readonly usage: Usage | undefined;
  /** False when nothing came before the end, so that `start` was not called either. */
  readonly isStarted: boolean;
}

/**
 * What a dialect does with an answer. `start` comes first, unless the answer is nothing but an error, and `finish`
 * comes last, each once. Between them parts open, grow and close. At most one part of text or reasoning is open at
 * a time; it closes when another part opens. Pieces hold whole characters. A tool call stays open beside the parts after
 * it until it has its end. Parts that are still open at the finish were cut, or are the last.
 */
export interface AnswerWriter {
  /** Whether what the prompt has cost stands in its start, which waits for the next event then. Default: false. */
  readonly startsWithUsage?: boolean;
  /** `usage` is what is known of it so far. */
  start(head: AnswerHead, usage: Usage | undefined): void;
  open(part: AnswerPart): void;
  /** Adds to a part that is open; `piece` is not empty. */
  write(part: GrowingPart, piece: string): void;
  /** Says who is quoted in a part. All of the quoted text is written; the part may be closed. */
  cite(part: TextPart, citation: CitationEvent): void;
  close(part: AnswerPart): void;
  finish(ending: AnswerEnding): void;
}
