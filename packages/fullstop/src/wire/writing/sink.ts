import type { GenerationEvent, OpaqueEvent, ToolCallStartEvent, Usage } from "../../events.ts";
import type { Sink, Stage } from "../../stage.ts";
import { truncatedSignal } from "../../termination.ts";
import type { TerminationReason, TerminationSignal } from "../../termination.ts";
import { SurrogateJoiner } from "../../text/surrogate-joiner.ts";
import type { EncodeOptions, WireFormatName } from "../format.ts";
import { isRecord } from "../json.ts";
import { CallText } from "./call-text.ts";
import { CitationKeeper } from "./citations.ts";
import { warnOfOpaque } from "./losses.ts";
import { checkEncodeOptions, createWarn } from "./options.ts";
import type { Warn } from "./options.ts";
import type {
  AnswerHead,
  AnswerPart,
  AnswerWriter,
  GrowingPart,
  PartState,
  ReasoningPart,
  ToolCallPart,
} from "./parts.ts";

/** Stands in for an id that nobody gave; official clients take an empty one for a missing answer. */
const NO_ID = "generation";
const NO_MODEL = "unknown";

/** The endings of answers of which nothing was cut off. */
const WHOLE: ReadonlySet<TerminationReason> = new Set<TerminationReason>(["natural_completion", "tool_calls"]);

/** A proof that comes with an event. */
interface Signed {
  readonly signature?: string | undefined;
  readonly signedBy?: string | undefined;
}

/** The dialects that have tools which take plain text. */
const TELLS_TEXT: ReadonlySet<WireFormatName> = new Set(["openai-chat", "openai-responses"]);

/** A call under way, and the half of a character that its last piece may have ended in. */
interface OpenCall {
  readonly part: ToolCallPart;
  readonly joiner: SurrogateJoiner;
  /** What takes its text out of its arguments, where only that is written. */
  readonly text: CallText | undefined;
}

/** A stage that writes answers with a fresh writer for each of them. */
export function defineAnswerEncoder(
  dialect: WireFormatName,
  options: EncodeOptions,
  createWriter: (next: Sink<string>, warn: Warn) => AnswerWriter,
): Stage<GenerationEvent, string> {
  checkEncodeOptions(options);
  return (next) => {
    const warn = createWarn(options);
    return new AnswerSink(dialect, createWriter(next, warn), next, options, warn);
  };
}

/**
 * Turns events into the parts of an answer for a writer. Here it is decided where a part ends and the next begins,
 * so a stream and a whole answer consist of the same parts in every dialect.
 */
export class AnswerSink implements Sink<GenerationEvent> {
  readonly #dialect: WireFormatName;
  readonly #writer: AnswerWriter;
  readonly #next: Pick<Sink<string>, "end">;
  readonly #options: EncodeOptions;
  readonly #warn: Warn;
  readonly #citations: CitationKeeper;
  readonly #calls = new Map<string, OpenCall>();
  /** For the text or thinking that is being written. JSON would write half a character as an escape of its own. */
  readonly #joiner = new SurrogateJoiner();
  #state: "new" | "started" | "finished" = "new";
  #head: AnswerHead | undefined;
  #usage: Usage | undefined;
  /** The part opened last, unless it is text or thinking that was closed. */
  #current: GrowingPart | undefined;
  #partCount = 0;
  #callCount = 0;

  constructor(
    dialect: WireFormatName,
    writer: AnswerWriter,
    next: Pick<Sink<string>, "end">,
    options: EncodeOptions,
    warn: Warn,
  ) {
    this.#dialect = dialect;
    this.#writer = writer;
    this.#next = next;
    this.#options = options;
    this.#warn = warn;
    this.#citations = new CitationKeeper(dialect, writer, warn);
  }

  push(event: GenerationEvent): void {
    if (this.#state === "finished") return;
    switch (event.type) {
      case "text":
        if (event.text !== "") this.#write("text", event.text);
        break;
      case "reasoning":
        if (event.text !== "") this.#write("reasoning", event.text);
        if (event.signature !== undefined && event.signature !== "") this.#sign(event, event.redacted === true);
        break;
      case "tool-call-start":
        this.#openCall(event);
        break;
      case "tool-call-delta": {
        const call = this.#calls.get(event.callId);
        if (call === undefined) this.#warnOfStranger();
        else this.#addToCall(call, event.json);
        break;
      }
      case "tool-call-end":
        this.#closeCall(event.callId, event);
        break;
      case "opaque":
        this.#pass(event);
        break;
      case "citation":
        this.#citations.add(event);
        break;
      case "usage":
        this.#usage = event.usage;
        if (this.#state === "new" && this.#head !== undefined) this.#start("", "");
        break;
      case "start":
        // The head of an answer is on the wire with its first frame; a start that comes later has nothing to add.
        if (this.#state !== "new") break;
        if (this.#writer.startsWithUsage === true) this.#keepHead(event.id, event.model);
        else this.#start(event.id, event.model);
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
    const { id: givenId = "", model: givenModel = "", created = 0, echo } = this.#options;
    return (this.#head ??= { id: id || givenId || NO_ID, model: model || givenModel || NO_MODEL, created, echo });
  }

  #write(type: "text" | "reasoning", piece: string): void {
    const current = this.#current;
    const goesOn = current?.type === type && !this.#citations.isEnded(current);
    const part = goesOn ? current : this.#openText(type);
    this.#writePart(part, this.#joiner.push(piece));
  }

  #writePart(part: GrowingPart, whole: string): void {
    if (whole === "") return;
    this.#writer.write(part, whole);
    if (part.type === "text") this.#citations.advance(whole.length);
  }

  /** Ends the thinking with its proof; where no thinking was shown, the proof makes up a part of its own. */
  #sign(proof: Signed, isRedacted: boolean): void {
    if (this.#current?.type === "reasoning" && !isRedacted) keepProof(this.#current, proof);
    else {
      const part: ReasoningPart = { type: "reasoning", ...this.#createState(), isRedacted };
      keepProof(part, proof);
      this.#open(part);
    }
    this.#leave();
  }

  #openText(type: "text" | "reasoning"): GrowingPart {
    const state = this.#createState();
    if (type === "reasoning") return this.#open({ type, ...state, isRedacted: false });
    const part = this.#open({ type, ...state, start: this.#citations.textLength, citations: [] });
    this.#citations.open(part);
    return part;
  }

  #openCall({ callId, name, isText: takesText = false, native }: ToolCallStartEvent): void {
    const callIndex = this.#callCount++;
    const isText = takesText && TELLS_TEXT.has(this.#dialect);
    const isOwn = native?.format === this.#dialect;
    if (native !== undefined && !isOwn) {
      this.#warn("toolCalls", "What only its own provider says of a tool call was left out");
    }
    const part: ToolCallPart = {
      type: "tool-call",
      ...this.#createState(),
      callId,
      name,
      isText,
      native: isOwn ? native : undefined,
      callIndex,
      isEmpty: true,
    };
    // A call that takes over the id of one without an end leaves that one cut.
    const earlier = this.#calls.get(callId);
    if (earlier !== undefined) this.#flushCall(earlier, false);
    this.#calls.set(callId, { part, joiner: new SurrogateJoiner(), text: isText ? new CallText() : undefined });
    this.#open(part);
  }

  #addToCall({ part, joiner, text }: OpenCall, json: string): void {
    this.#writeCall(part, joiner.push(text === undefined ? json : text.push(json)));
  }

  #writeCall(part: ToolCallPart, piece: string): void {
    if (piece === "") return;
    if (part.isEmpty) part.isEmpty = piece.trim() === "";
    this.#writer.write(part, piece);
  }

  #flushCall({ part, joiner, text }: OpenCall, isWhole: boolean): void {
    this.#writeCall(part, joiner.push(text?.end(isWhole) ?? "") + joiner.end());
  }

  #closeCall(callId: string, proof: Signed): void {
    const call = this.#calls.get(callId);
    if (call === undefined) {
      this.#warnOfStranger();
      return;
    }
    const { part } = call;
    this.#calls.delete(callId);
    this.#flushCall(call, true);
    // Whoever runs a call of a function parses its arguments, and no text is no JSON.
    if (part.isEmpty && !part.isText) this.#writeCall(part, "{}");
    keepProof(part, proof);
    part.isClosed = true;
    this.#writer.close(part);
  }

  /** Passes on what is in the dialect already; nobody else could read what is in another. */
  #pass({ format, value }: OpaqueEvent): void {
    if (format !== this.#dialect || !isRecord(value)) {
      warnOfOpaque(this.#warn);
      return;
    }
    const part: AnswerPart = { type: "opaque", ...this.#createState(), value };
    this.#begin(part);
    part.isClosed = true;
    this.#writer.close(part);
  }

  #createState(): PartState {
    return { index: this.#partCount++, text: "", isClosed: false, signature: undefined, signedBy: undefined };
  }

  #open<Part extends GrowingPart>(part: Part): Part {
    this.#begin(part);
    this.#current = part;
    return part;
  }

  #begin(part: AnswerPart): void {
    if (this.#state === "new") this.#start("", "");
    this.#leave();
    this.#writer.open(part);
  }

  /** Closes the text or thinking that was being written. A tool call stays open. */
  #leave(): void {
    const part = this.#current;
    if (part === undefined) return;
    this.#flush();
    this.#current = undefined;
    if (part.type === "tool-call") return;
    part.isClosed = true;
    this.#writer.close(part);
  }

  /** Writes what is left of the text or thinking. */
  #flush(): void {
    const rest = this.#joiner.end();
    if (this.#current !== undefined) this.#writePart(this.#current, rest);
  }

  #warnOfStranger(): void {
    this.#warn("toolCalls", "A piece of a tool call that has not begun was left out");
  }

  #finish(signal: TerminationSignal): void {
    const isStarted = this.#state === "started" || signal.reason !== "error_termination";
    if (this.#state === "new" && isStarted) this.#start("", "");
    this.#flush();
    for (const call of this.#calls.values()) this.#flushCall(call, false);
    this.#citations.end(WHOLE.has(signal.reason));
    this.#state = "finished";
    this.#writer.finish({ head: this.#keepHead("", ""), signal, usage: this.#usage, isStarted });
    this.#next.end();
  }
}

function keepProof(part: PartState, { signature, signedBy }: Signed): void {
  if (signature === undefined || signature === "") return;
  part.signature = signature;
  part.signedBy = signedBy;
}
