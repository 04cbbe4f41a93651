import type { NativeFields } from "./request.ts";
import type { TerminationSignal } from "./termination.ts";

/**
 * One of the separate streams of output within a generation. Stop rules watch each on its own: a stop string
 * never matches half in one channel and half in another.
 */
export type Channel = "text" | "reasoning" | "tool-arguments";

/** Every channel, in the order in which documentation and tables list them. */
export const CHANNELS: readonly Channel[] = ["text", "reasoning", "tool-arguments"];

/**
 * What a generation has cost in tokens. `inputTokens` counts the whole prompt, cached parts included;
 * `outputTokens` counts everything generated, reasoning included. The parts are given on their own where the
 * provider tells them; a part is absent when it is unknown, never zero.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** True when the figures were worked out on our side because the provider gave none. */
  readonly estimated?: boolean | undefined;
}

/** The prompt was accepted and output is about to come. Carries no token of its own. */
export interface StartEvent {
  readonly type: "start";
  readonly id: string;
  readonly model: string;
}

/** A piece of visible text. */
export interface TextEvent {
  readonly type: "text";
  readonly text: string;
  /** The tokens this piece was decoded from, where a local model or a server tells them. */
  readonly tokenIds?: readonly number[] | undefined;
}

/** A piece of the model's thinking. */
export interface ReasoningEvent {
  readonly type: "reasoning";
  readonly text: string;
  readonly tokenIds?: readonly number[] | undefined;
  /**
   * The provider's proof for the thinking that ends here, to be sent back with it unchanged. It comes in an event of
   * its own without text.
   */
  readonly signature?: string | undefined;
  /** The dialect of the provider whose proof it is. Nobody else takes it. */
  readonly signedBy?: string | undefined;
  /** True when the provider withholds the thinking itself, so that the signature is all there is of it. */
  readonly redacted?: boolean | undefined;
  /** True in an event without text that says: here somebody had the thinking skipped. Dialects have no word for it. */
  readonly skipped?: boolean | undefined;
}

/** The model begins to call a tool; its arguments follow as deltas under the same `callId`. */
export interface ToolCallStartEvent {
  readonly type: "tool-call-start";
  readonly callId: string;
  readonly name: string;
  /** True when the tool takes plain text. Its arguments are JSON all the same: an object with the text as `input`. */
  readonly isText?: boolean | undefined;
  /** What only the provider's dialect says of a call, to be sent back with it. */
  readonly native?: NativeFields | undefined;
}

/** A piece of a tool call's arguments, as the JSON text the model writes. */
export interface ToolCallDeltaEvent {
  readonly type: "tool-call-delta";
  readonly callId: string;
  readonly json: string;
  readonly tokenIds?: readonly number[] | undefined;
}

/** The call's arguments are complete. A call without this event was cut and must not be executed. */
export interface ToolCallEndEvent {
  readonly type: "tool-call-end";
  readonly callId: string;
  /** The provider's proof for the thinking that led to the call, to be sent back with it. */
  readonly signature?: string | undefined;
  readonly signedBy?: string | undefined;
}

/**
 * A part of the answer that only its own provider understands, such as a search that it has run. It goes back to that
 * provider unchanged, and to nobody else.
 */
export interface OpaqueEvent {
  readonly type: "opaque";
  /** The dialect that the value is written in. */
  readonly format: string;
  readonly value: unknown;
}

/**
 * Where something in the visible text is taken from: a page that was found, a document that was sent along. A provider
 * tells what it has of this; a citation with nothing but a title is one.
 */
export interface CitationEvent {
  readonly type: "citation";
  /**
   * The stretch of the text that it is for, in UTF-16 code units from the beginning of the answer's text, as far as the
   * provider tells. The end of that text may still be held back when this comes.
   */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  /** The words of the source. */
  readonly quote?: string | undefined;
  /** The dialect that it came in. */
  readonly format: string;
  /** How it stands there. A dialect that speaks of all citations at once does so in one of its own before them. */
  readonly value?: unknown;
}

/** Token counts so far. A later event replaces an earlier one; it never adds to it. */
export interface UsageEvent {
  readonly type: "usage";
  readonly usage: Usage;
}

/** The generation has ended, and why. Exactly one in every sealed stream, always the last event. */
export interface FinishEvent {
  readonly type: "finish";
  readonly signal: TerminationSignal;
}

/** One unit of output of a generation. Every source produces these and every sink consumes them. */
export type GenerationEvent =
  | StartEvent
  | TextEvent
  | ReasoningEvent
  | ToolCallStartEvent
  | ToolCallDeltaEvent
  | ToolCallEndEvent
  | OpaqueEvent
  | CitationEvent
  | UsageEvent
  | FinishEvent;
