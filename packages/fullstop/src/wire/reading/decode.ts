import { checkCount, checkFlag, checkNames } from "../../check.ts";
import type { GenerationEvent } from "../../events.ts";
import type { Sink } from "../../stage.ts";
import { createTerminationSignal, failedSignal } from "../../termination.ts";
import { Answer } from "./answer.ts";
import { BodyReader } from "../framing/body.ts";
import type { BodyListener } from "../framing/body.ts";
import { failureSignal, hasError, isFailedStatus, readFailure } from "./failure.ts";
import type { AnswerFormat, DecodeOptions, WireFormatName } from "../format.ts";
import { isRecord, listOf, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { sanitiseText } from "./sanitise.ts";

/** Reads the JSON objects of one answer in one dialect and tells the answer what it finds. */
export interface AnswerReader {
  /**
   * Reads one object: the payload of an event, or a whole answer. `isDocument` tells that it stood alone, which is
   * all that tells the two apart where they look the same.
   */
  read(value: JsonRecord, event: string, isDocument: boolean): void;
}

/** Opens a reader for one answer. */
export type OpenAnswerReader = (answer: Answer, options: DecodeOptions) => AnswerReader;

/** The options of every decoder. */
export const DECODE_OPTION_NAMES: Readonly<Record<keyof DecodeOptions, true>> = {
  status: true,
  choice: true,
  hadStopStrings: true,
  finishNumbers: true,
  maxEventSize: true,
};

/** What some servers end a stream with, where it has been taken for a payload. */
export const SENTINEL = "[DONE]";

/** Opens a reader of a body's bytes. */
export type OpenBodyReader = (listener: BodyListener, maxEventSize: number | undefined) => Sink<Uint8Array>;

const openBodyReader: OpenBodyReader = (listener, maxEventSize) => new BodyReader(listener, maxEventSize);

/**
 * Makes a format out of a reader of its JSON. Everything about frames, errors and cuts is the same for all, except that
 * one of them has frames of its own.
 */
export function defineAnswerFormat(
  name: WireFormatName,
  open: OpenAnswerReader,
  openBody: OpenBodyReader = openBodyReader,
): AnswerFormat {
  return {
    name,
    decodeStream(options = {}) {
      checkDecodeOptions(options);
      return (next) => openBody(new AnswerDecoder(next, name, open, options), options.maxEventSize);
    },
    decodePayloads(options = {}) {
      checkDecodeOptions(options);
      return (next) => {
        const decoder = new AnswerDecoder(next, name, open, options);
        return { push: (value) => decoder.value(value, "", false), end: () => decoder.end(false) };
      };
    },
    decodeResponse(body, options = {}) {
      checkDecodeOptions(options);
      return readWhole(body, name, open, options);
    },
  };
}

/** Refuses decode options that do not exist or cannot be. */
export function checkDecodeOptions(options: DecodeOptions): void {
  checkNames("decode options", options, DECODE_OPTION_NAMES);
  checkCount("status", options.status, 100);
  checkCount("choice", options.choice, 0);
  checkFlag("hadStopStrings", options.hadStopStrings);
  checkCount("maxEventSize", options.maxEventSize, 1);
}

/** Reads an answer that was parsed already. */
function readWhole(
  body: unknown,
  format: WireFormatName,
  open: OpenAnswerReader,
  options: DecodeOptions,
): readonly GenerationEvent[] {
  const events: GenerationEvent[] = [];
  const collect = { push: (event: GenerationEvent) => void events.push(event), end: () => undefined };
  const decoder = new AnswerDecoder(collect, format, open, options);
  // A list is how Gemini sends a stream to those who did not ask for events.
  if (Array.isArray(body)) for (const value of listOf(body)) decoder.value(value, "", false);
  else {
    decoder.document();
    decoder.value(body, "", true);
  }
  decoder.end(false);
  return events;
}

/** Passes what a body consists of to the reader of a dialect, and sees to everything that is no answer. */
class AnswerDecoder implements BodyListener {
  readonly #answer: Answer;
  readonly #reader: AnswerReader;
  readonly #isError: boolean;
  readonly #status: number | undefined;
  #values = 0;
  /** The first value, as long as it is the only one. */
  #only: JsonRecord | undefined;

  constructor(next: Sink<GenerationEvent>, format: WireFormatName, open: OpenAnswerReader, options: DecodeOptions) {
    this.#answer = new Answer(next, format, options);
    this.#reader = open(this.#answer, options);
    this.#status = options.status;
    this.#isError = isFailedStatus(options.status);
  }

  value(value: unknown, event: string, isDocument: boolean): void {
    if (this.#answer.isConcluded) return;
    if (value === SENTINEL) {
      this.sentinel();
      return;
    }
    const record = recordOf(value);
    // Another fullstop upstream has said in full how it ended, beside what its dialect can say.
    this.#answer.beginValue(record["fullstop"] ?? recordOf(record["response"] ?? record["error"])["fullstop"]);
    if (this.#isError || event === "error") this.#answer.fail(failureSignal(readFailure(value), this.#status));
    else if (isRecord(value)) this.#read(value, event, isDocument);
    this.#answer.endValue();
  }

  #read(value: JsonRecord, event: string, isDocument: boolean): void {
    this.#values += 1;
    this.#only = this.#values === 1 ? value : undefined;
    if (this.#values > 1) this.#answer.undocument();
    try {
      this.#reader.read(value, event, isDocument && this.#values === 1);
    } catch (error) {
      // Nothing that a server sends may break the reading: what cannot be read ends the answer with that error.
      this.#answer.fail(failedSignal(error, "unreadable_event"));
    }
    if (hasError(value)) this.#answer.fail(failureSignal(readFailure(value), this.#status));
  }

  /** All of the answer is there, so that its end is the end. */
  document(): void {
    this.#answer.document();
  }

  sentinel(): void {
    this.#answer.sentinel();
  }

  malformed(text: string, event: string): void {
    if (event === "error" || this.#isError) this.#answer.fail(failureSignal({ message: text }, this.#status));
    // A comment that some proxy made an event of contains nothing that could be missed; a piece of JSON does.
    else if (/[[\]{}"]/u.test(text)) this.#answer.malformed();
  }

  page(text: string): void {
    const title = /<title[^>]*>(?<title>[^<]*)/iu.exec(text)?.groups?.["title"] ?? "";
    const message = `The server answered with a web page: ${title === "" ? "untitled" : title}`;
    if (this.#isError) {
      // A proxy's page for a server that is gone: what to do about it is told by the status, as without a page.
      this.#answer.fail(failureSignal({ message, body: "html" }, this.#status));
      return;
    }
    this.#answer.fail(
      createTerminationSignal({
        reason: "error_termination",
        detail: "not_an_answer",
        originalField: "body",
        originalValue: "html",
        message: sanitiseText(message),
        ...(this.#status !== undefined && { metadata: { status: this.#status } }),
      }),
    );
  }

  text(text: string): void {
    if (this.#isError) this.#answer.fail(failureSignal({ message: text }, this.#status));
  }

  oversized(): void {
    this.#answer.fail(
      createTerminationSignal({
        reason: "error_termination",
        detail: "event_too_large",
        originalField: "event_size",
        originalValue: "",
        message: "The server sent an event larger than the limit",
      }),
    );
  }

  end(isCut: boolean): void {
    // A body that says nothing, such as that of a bare 502, still has its status.
    if (this.#isError) this.#answer.fail(failureSignal({ message: "" }, this.#status));
    else if (this.#only !== undefined && !this.#answer.isStarted) this.#failWithout(this.#only);
    this.#answer.end(isCut);
  }

  /** Some servers say what went wrong with a status of 200 and in no field for errors. It stands where an answer would. */
  #failWithout(value: JsonRecord): void {
    const failure = readFailure(value);
    if (failure.message !== "") this.#answer.fail(failureSignal(failure, this.#status));
  }
}
