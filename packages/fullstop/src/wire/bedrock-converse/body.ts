import type { Sink } from "../../stage.ts";
import { BodyReader } from "../framing/body.ts";
import type { BodyListener } from "../framing/body.ts";
import { parseJson } from "../json.ts";
import { MAX_EVENT_SIZE } from "../framing/sse.ts";
import { AwsFrameReader } from "./aws-frames.ts";
import type { AwsFrame } from "./aws-frames.ts";

/**
 * Reads the body of a Converse answer: frames if it is a stream, text if it is a whole answer or an error. A frame
 * begins with its length, whose first byte is zero; no text does.
 */
export class ConverseBodyReader implements Sink<Uint8Array> {
  readonly #listener: BodyListener;
  readonly #maxEventSize: number;
  readonly #decoder = new TextDecoder();
  #body: Sink<Uint8Array> | undefined;

  constructor(listener: BodyListener, maxEventSize: number = MAX_EVENT_SIZE) {
    this.#listener = listener;
    this.#maxEventSize = maxEventSize;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#body ??= bytes[0] === 0 ? this.#openFrames() : new BodyReader(this.#listener, this.#maxEventSize);
    this.#body.push(bytes);
  }

  end(): void {
    if (this.#body === undefined) this.#listener.end(false);
    else this.#body.end();
  }

  #openFrames(): Sink<Uint8Array> {
    const listener = this.#listener;
    const frames = new AwsFrameReader(
      {
        frame: (frame) => this.#readFrame(frame),
        corrupt: () => listener.malformed("A frame of the stream is damaged", "error"),
        oversized: () => listener.oversized(),
      },
      this.#maxEventSize,
    );
    return {
      push: (bytes) => frames.push(bytes),
      end() {
        frames.end();
        listener.end(frames.isInside);
      },
    };
  }

  #readFrame({ headers, payload }: AwsFrame): void {
    const text = this.#decoder.decode(payload);
    const value = parseJson(text);
    const isEvent = headers.get(":message-type") === "event";
    if (isEvent) {
      if (value === undefined) this.#listener.malformed(text, "");
      else this.#listener.value(value, headers.get(":event-type") ?? "", false);
      return;
    }
    // An exception has its name in a header and its sentence in the payload; an error has both in headers.
    const type = headers.get(":exception-type") ?? headers.get(":error-code") ?? "";
    const message = headers.get(":error-message");
    const fields = typeof value === "object" ? value : {};
    this.#listener.value({ ...fields, type, ...(message !== undefined && { message }) }, "error", false);
  }
}
