import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import type { Stage } from "../stage.ts";
import type { TerminationSignal } from "../termination.ts";

/** The dialects that are read and written, those in which models are asked, and those that are only read. */
export type WireFormatName =
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages"
  | "gemini"
  | "openai-completions"
  | "gemini-interactions"
  | "mistral-chat"
  | "bedrock-converse"
  | "ollama-chat"
  | "cohere-chat";

/** Something that the other dialect cannot say, or that was not understood, and was therefore left out. */
export interface WireWarning {
  /** Where it stood, such as `sampling.topK` or `messages[2].content[0]`. */
  readonly field: string;
  /** What was done about it, in one sentence. */
  readonly message: string;
}

/** What is known about an answer besides its bytes. */
export interface DecodeOptions {
  /** The HTTP status; from 400 on the body is an error whatever it looks like. Default 200. */
  readonly status?: number | undefined;
  /** Which of several choices or candidates to read. Default 0. */
  readonly choice?: number | undefined;
  /**
   * Whether the request had stop strings. Some dialects use one word for a natural end and a matched stop string:
   * false makes that word certain, true says that it may be either.
   */
  readonly hadStopStrings?: boolean | undefined;
  /** The meaning of numeric finish values, for providers that send them. */
  readonly finishNumbers?: Readonly<Record<number, string>> | undefined;
  /** The most characters of one event, line or document. A longer one ends the answer with an error. Default 16 Mi. */
  readonly maxEventSize?: number | undefined;
}

/** A dialect whose answers can be read. */
export interface AnswerFormat {
  readonly name: WireFormatName;
  /** Reads the body of an answer as its bytes come in. Also takes a whole document where a stream was expected. */
  decodeStream(options?: DecodeOptions): Stage<Uint8Array, GenerationEvent>;
  /** Reads the payloads of a stream that were parsed already, such as the chunks of a provider's own client. */
  decodePayloads(options?: DecodeOptions): Stage<unknown, GenerationEvent>;
  /** Reads a whole answer that was parsed already. The last event is its finish. */
  decodeResponse(body: unknown, options?: DecodeOptions): readonly GenerationEvent[];
}

/** A request that was read, and what of it was not understood. */
export interface DecodedRequest {
  readonly request: GenerationRequest;
  readonly warnings: readonly WireWarning[];
}

/** What a dialect keeps outside the body of a request, in its address and its headers. */
export interface RequestTarget {
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
  /** What is still tried out, and asked for by name: `anthropic-beta`, taken apart. */
  readonly betas?: readonly string[] | undefined;
}

/** A request as a body of a dialect, and what of it the dialect cannot say. */
export interface EncodedRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** What the dialect keeps in headers, if there is anything. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly warnings: readonly WireWarning[];
}

/** What an answer that is written needs besides its events. */
export interface EncodeOptions {
  /** The answer's id where no `start` event gives one. */
  readonly id?: string | undefined;
  /** The model's name where no `start` event gives one. */
  readonly model?: string | undefined;
  /** When the answer was made, in seconds since 1970. Default 0. */
  readonly created?: number | undefined;
  /** Whether a Chat Completions stream ends with a chunk of token counts, which not every client expects. Default true. */
  readonly includeUsage?: boolean | undefined;
  /** What a response of the Responses dialect repeats of its request, in the dialect's own words. Default: nothing. */
  readonly echo?: Readonly<Record<string, unknown>> | undefined;
  /** Told of whatever the dialect cannot say. */
  readonly onWarning?: ((warning: WireWarning) => void) | undefined;
}

/** A whole answer in a dialect. */
export interface EncodedResponse {
  /** The HTTP status that goes with the body: 200, or that of the error. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A dialect in which a model can be asked: requests are written in it, and its answers read. */
export interface RequestFormat extends AnswerFormat {
  encodeRequest(request: GenerationRequest): EncodedRequest;
}

/**
 * A dialect in both directions, for requests and answers, streaming or not. It knows bodies and frames, never an
 * address, a key or a socket.
 */
export interface WireFormat extends RequestFormat {
  /** Reads a request. Throws a FullstopError that names the field when it is not one. */
  decodeRequest(body: unknown, target?: RequestTarget): DecodedRequest;
  /** Writes events as the frames of a stream, each a string to be sent as it is. */
  encodeStream(options?: EncodeOptions): Stage<GenerationEvent, string>;
  /** Writes the error of an answer that never began, as a body with its status. */
  encodeError(signal: TerminationSignal): EncodedResponse;
  /** Writes a whole answer. The events are those of one sealed generation. */
  encodeResponse(events: Iterable<GenerationEvent>, options?: EncodeOptions): EncodedResponse;
}
