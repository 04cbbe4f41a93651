import { invalidArgument } from "../errors.ts";
import type { GenerationEvent } from "../events.ts";
import type { Sink } from "../stage.ts";
import { truncatedSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { decodeAnyStream } from "./any-format.ts";
import { decodeAnyPayloads } from "./any-payloads.ts";
import { defineProviderNames, normaliseName } from "./provider-names.ts";
import { PROVIDERS } from "./providers.ts";
import type { ProviderDescription } from "./providers.ts";

/** What is known of a stream after a chunk. */
export interface StreamProgress {
  /** How the answer has ended, once that is certain. */
  readonly termination?: TerminationSignal | undefined;
  /** Whether to go on reading. */
  readonly shouldContinue: boolean;
  /** The visible text so far. */
  readonly bufferedContent?: string | undefined;
}

/** Follows streams, one a provider at a time, and tells when and how each has ended. */
export interface StreamingTerminationHandler {
  /**
   * Takes the next piece of a stream: bytes or text as they come from the socket, or a chunk that was parsed already.
   * A finish value alone ends nothing, because providers send it early and more than once; the end is the dialect's
   * end marker, or `finalizeStream`.
   */
  processStreamChunk(chunk: unknown, providerId: string): StreamProgress;
  /** The stream has ended; without having said so it was cut. */
  finalizeStream(providerId: string): TerminationSignal;
  /** Forgets every stream under way. */
  resetStreamState(): void;
}

/** Creates a handler for streams of the given providers: by default all that fullstop knows. */
export function createStreamingTerminationHandler(
  descriptions: readonly ProviderDescription[] = PROVIDERS,
): StreamingTerminationHandler {
  const idOf = defineProviderNames(descriptions);
  const known = new Map(descriptions.map((description) => [normaliseName(description.id), description]));
  const streams = new Map<string, FollowedStream>();

  function streamOf(providerId: string): FollowedStream {
    const id = idOf(providerId);
    let stream = streams.get(id);
    if (stream === undefined) {
      const [name = ""] = id.split("@");
      stream = new FollowedStream(known.get(name));
      streams.set(id, stream);
    }
    return stream;
  }

  return {
    processStreamChunk: (chunk, providerId) => streamOf(providerId).push(chunk),
    finalizeStream(providerId) {
      const signal = streamOf(providerId).end();
      streams.delete(idOf(providerId));
      return signal;
    },
    resetStreamState: () => streams.clear(),
  };
}

/** A decoder in the form in which the first chunk of its stream came. */
interface ChunkReader {
  readonly form: "bytes" | "parsed";
  push(chunk: unknown): void;
  end(): void;
}

/** One stream under way. */
class FollowedStream {
  readonly #provider: ProviderDescription | undefined;
  readonly #encoder = new TextEncoder();
  /** The first half of a character whose second one comes with the next piece of text. */
  #half = "";
  #reader: ChunkReader | undefined;
  #text = "";
  #signal: TerminationSignal | undefined;

  constructor(provider: ProviderDescription | undefined) {
    this.#provider = provider;
  }

  push(chunk: unknown): StreamProgress {
    // Clients that parse the events hand the last word on as it is.
    const isLastWord = this.#reader?.form === "parsed" && chunk === "[DONE]";
    const piece = typeof chunk === "string" && !isLastWord ? this.#encode(chunk) : chunk;
    const form = piece instanceof Uint8Array ? "bytes" : "parsed";
    this.#reader ??= form === "bytes" ? this.#openBytes() : this.#openParsed();
    if (this.#reader.form !== form) {
      throw invalidArgument("chunk", `must be ${this.#reader.form} like the first one of its stream`, form);
    }
    this.#reader.push(piece);
    return this.#progress();
  }

  end(): TerminationSignal {
    if (this.#half !== "") this.#reader?.push(this.#encoder.encode(this.#half));
    this.#reader?.end();
    return this.#signal ?? truncatedSignal();
  }

  /** Text may be cut in the middle of a character. Its halves are none by themselves, and would be lost as bytes. */
  #encode(text: string): Uint8Array {
    const whole = this.#half + text;
    this.#half = /[\uD800-\uDBFF]$/u.exec(whole)?.[0] ?? "";
    return this.#encoder.encode(whole.slice(0, whole.length - this.#half.length));
  }

  #progress(): StreamProgress {
    const termination = this.#signal;
    return {
      ...(termination !== undefined && { termination }),
      shouldContinue: termination === undefined,
      ...(this.#text !== "" && { bufferedContent: this.#text }),
    };
  }

  #openBytes(): ChunkReader {
    const fallback = this.#provider?.formats[0];
    const sink = decodeAnyStream({ fallback, finishNumbers: this.#provider?.finishNumbers })(this.#listener());
    return {
      form: "bytes",
      push(chunk) {
        if (chunk instanceof Uint8Array) sink.push(chunk);
      },
      end: () => sink.end(),
    };
  }

  #openParsed(): ChunkReader {
    const { formats, finishNumbers } = this.#provider ?? {};
    const sink = decodeAnyPayloads({ formats, finishNumbers })(this.#listener());
    return { form: "parsed", push: (value) => sink.push(value), end: () => sink.end() };
  }

  #listener(): Sink<GenerationEvent> {
    return {
      push: (event) => {
        if (event.type === "text") this.#text += event.text;
        else if (event.type === "finish") this.#signal = event.signal;
      },
      end: () => undefined,
    };
  }
}
