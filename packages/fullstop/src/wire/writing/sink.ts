import type { GenerationEvent, Usage } from "../../events.ts";
import type { Sink, Stage } from "../../stage.ts";
import { truncatedSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import { checkEncodeOptions, createWarn } from "./options.ts";
import type { Warn } from "./options.ts";
import type { AnswerHead, AnswerPart, AnswerWriter, PartState, ToolCallPart } from "./parts.ts";
import type { EncodeOptions } from "../format.ts";

/** Stands in for an id that nobody gave; official clients take an empty one for a missing answer. */
const NO_ID = "generation";
const NO_MODEL = "unknown";

/** A stage that writes answers with a fresh writer for each of them. */
export function defineAnswerEncoder(
  options: EncodeOptions,
  createWriter: (next: Sink<string>, warn: Warn) => AnswerWriter,
): Stage<GenerationEvent, string> {
  checkEncodeOptions(options);
  return (next) => {
    const warn = createWarn(options);
    return new AnswerSink(createWriter(next, warn), next, options, warn);
  };
}

/**
 * Turns events into the parts of an answer for a writer. Here it is decided where a part ends and the next begins,
 * so a stream and a whole answer consist of the same parts in every dialect.
 */
export class AnswerSink implements Sink<GenerationEvent> {
  readonly #writer: AnswerWriter;
  readonly #next: Pick<Sink<string>, "end">;
  readonly #options: EncodeOptions;
  readonly #warn: Warn;
  readonly #calls = new Map<string, ToolCallPart>();
  #state: "new" | "started" | "finished" = "new";
  #head: AnswerHead | undefined;
  #usage: Usage | undefined;
  /** The part opened last, unless it is text or thinking that was closed. */
  #current: AnswerPart | undefined;
  #partCount = 0;
  #callCount = 0;

  constructor(writer: AnswerWriter, next: Pick<Sink<string>, "end">, options: EncodeOptions, warn: Warn) {
    this.#writer = writer;
    this.#next = next;
    this.#options = options;
    this.#warn = warn;
  }

  push(event: GenerationEvent): void {
    if (this.#state === "finished") return;
    switch (event.type) {
      case "text":
        if (event.text !== "") this.#write("text", event.text);
        break;
      case "reasoning":
        if (event.text !== "") this.#write("reasoning", event.text);
        if (event.signature !== undefined && event.signature !== "") {
          this.#sign(event.signature, event.redacted === true);
        }
        break;
      case "tool-call-start":
        this.#openCall(event.callId, event.name);
        break;
      case "tool-call-delta": {
        const call = this.#calls.get(event.callId);
        if (call === undefined) this.#warnOfStranger();
        else if (event.json !== "") this.#writer.write(call, event.json);
        break;
      }
      case "tool-call-end":
        this.#closeCall(event.callId, event.signature);
        break;
      case "opaque":
        this.#warn("opaque", "A part that only its own provider understands was left out");
        break;
      case "usage":
        this.#usage = event.usage;
        break;
      case "start":
        // The head of an answer is on the wire with its first frame; a start that comes later has nothing to add.
        if (this.#state === "new") this.#start(event.id, event.model);
        break;
      case "finish":
        this.#finish(event.signal);
        break;
    }
  }

  end(): void {
    if (this.#state !== "finished") this.#finish(truncatedSignal());
  }

  #start(id: string, model: string): void {
    this.#state = "started";
    this.#writer.start(this.#keepHead(id, model), this.#usage);
  }

  #keepHead(id: string, model: string): AnswerHead {
    const { id: givenId = "", model: givenModel = "", created = 0 } = this.#options;
    return (this.#head ??= { id: id || givenId || NO_ID, model: model || givenModel || NO_MODEL, created });
  }

  #write(type: "text" | "reasoning", piece: string): void {
    const current = this.#current;
    this.#writer.write(current?.type === type ? current : this.#openText(type), piece);
  }

  /** Ends the thinking with its proof; where no thinking was shown, the proof makes up a part of its own. */
  #sign(signature: string, isRedacted: boolean): void {
    if (this.#current?.type === "reasoning" && !isRedacted) this.#current.signature = signature;
    else this.#open({ type: "reasoning", ...this.#createState(), signature, isRedacted });
    this.#leave();
  }

  #openText(type: "text" | "reasoning"): AnswerPart {
    const state = this.#createState();
    return this.#open(type === "text" ? { type, ...state } : { type, ...state, isRedacted: false });
  }

  #openCall(callId: string, name: string): void {
    const callIndex = this.#callCount++;
    const call: ToolCallPart = { type: "tool-call", ...this.#createState(), callId, name, callIndex };
    // A call that takes over the id of one without an end leaves that one cut.
    this.#calls.set(callId, call);
    this.#open(call);
  }

  #closeCall(callId: string, signature: string | undefined): void {
    const call = this.#calls.get(callId);
    if (call === undefined) {
      this.#warnOfStranger();
      return;
    }
    this.#calls.delete(callId);
    call.signature = signature === "" ? undefined : signature;
    call.isClosed = true;
    this.#writer.close(call);
  }

  #createState(): PartState {
    return { index: this.#partCount++, text: "", isClosed: false, signature: undefined };
  }

  #open(part: AnswerPart): AnswerPart {
    if (this.#state === "new") this.#start("", "");
    this.#leave();
    this.#current = part;
    this.#writer.open(part);
    return part;
  }

  /** Closes the text or thinking that was being written. A tool call stays open. */
  #leave(): void {
    const part = this.#current;
    this.#current = undefined;
    if (part === undefined || part.type === "tool-call") return;
    part.isClosed = true;
    this.#writer.close(part);
  }

  #warnOfStranger(): void {
    this.#warn("toolCalls", "A piece of a tool call that has not begun was left out");
  }

  #finish(signal: TerminationSignal): void {
    const isStarted = this.#state === "started" || signal.reason !== "error_termination";
    if (this.#state === "new" && isStarted) this.#start("", "");
    this.#state = "finished";
    this.#writer.finish({ head: this.#keepHead("", ""), signal, usage: this.#usage, isStarted });
    this.#next.end();
  }
}
