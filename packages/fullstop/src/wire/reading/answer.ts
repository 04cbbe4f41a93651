import type { GenerationEvent, Usage } from "../../events.ts";
import type { Sink } from "../../stage.ts";
import { isTerminationSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import { conclude } from "./conclusion.ts";
import type { Evidence } from "./conclusion.ts";
import type { DecodeOptions, WireFormatName } from "../format.ts";
import { isAbsent, meaningOf } from "./finish-words.ts";
import type { FinishMeaning } from "./finish-words.ts";
import { isRecord, stringOf } from "../json.ts";
import { ToolCalls } from "./tool-calls.ts";

/**
 * An answer under way. The readers of the dialects say what they find, in the order in which it stands there; this
 * passes the events on, keeps the evidence of how the answer ends, and writes the one finish when nothing can follow.
 */
export class Answer {
  readonly calls: ToolCalls;
  readonly #next: Sink<GenerationEvent>;
  readonly #options: DecodeOptions;
  #isStarted = false;
  #isConcluded = false;
  #usage: Usage | undefined;
  readonly #evidence: Evidence = {
    ending: undefined,
    failure: undefined,
    told: undefined,
    isRefused: false,
    isMarked: false,
    isSentinelSeen: false,
    isDocument: false,
    isStale: false,
    wasStale: false,
    isCut: false,
    malformed: 0,
  };

  constructor(next: Sink<GenerationEvent>, options: DecodeOptions) {
    this.#next = next;
    this.#options = options;
    this.calls = new ToolCalls({
      push: (event) => {
        this.supersede();
        next.push(event);
      },
      end: () => undefined,
    });
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  get isConcluded(): boolean {
    return this.#isConcluded;
  }

  /** The answer has begun. Providers repeat its id with every chunk; the first one counts. */
  start(id: unknown, model: unknown): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#next.push({ type: "start", id: stringOf(id), model: stringOf(model) });
  }

  text(text: string): void {
    if (text === "") return;
    this.supersede();
    this.#next.push({ type: "text", text });
  }

  reasoning(text: string): void {
    if (text === "") return;
    this.supersede();
    this.#next.push({ type: "reasoning", text });
  }

  /** The provider's proof for the thinking that has just ended. */
  signature(signature: unknown): void {
    if (typeof signature !== "string" || signature === "") return;
    this.#next.push({ type: "reasoning", text: "", signature });
  }

  /** Thinking of which the provider shows nothing but its proof. */
  redactedReasoning(signature: unknown): void {
    if (typeof signature !== "string" || signature === "") return;
    this.supersede();
    this.#next.push({ type: "reasoning", text: "", signature, redacted: true });
  }

  /** A refusal is text for the user, and makes the ending one. */
  refusal(text: string): void {
    if (text === "") return;
    this.#evidence.isRefused = true;
    this.text(text);
  }

  /** A part that only its own provider understands. */
  opaque(format: WireFormatName, value: unknown): void {
    this.supersede();
    this.#next.push({ type: "opaque", format, value });
  }

  /** Token counts. Providers repeat them, so only what is new is passed on. */
  usage(usage: Usage | undefined): void {
    if (usage === undefined || isSameUsage(usage, this.#usage)) return;
    this.#usage = usage;
    this.#next.push({ type: "usage", usage });
  }

  /**
   * A finish value, and what has matched if the provider tells: a stop string, or the number of a stop token. The last
   * value that says something counts.
   */
  finish(field: string, value: unknown, matched?: unknown): void {
    const word = this.#wordOf(value);
    if (word !== undefined) this.finishAs(meaningOf(word), field, word, matched);
  }

  /** A finish value that means something else in its place than the word does elsewhere. */
  finishAs(meaning: FinishMeaning, field: string, value: string, matched?: unknown): void {
    if (meaning.isPlaceholder === true && this.#evidence.ending !== undefined) return;
    const isMatch = typeof matched === "number" || (typeof matched === "string" && matched !== "");
    this.#evidence.ending = { field, value, meaning, ...(isMatch && { matched }) };
    this.#evidence.wasStale ||= this.#evidence.isStale;
    this.#evidence.isStale = false;
  }

  /** A signal that the sender has worked out already, if it is one. The last one counts. */
  tell(signal: unknown): void {
    if (signal !== undefined && isTerminationSignal(signal)) this.#evidence.told = signal;
  }

  /** An error, after which nothing comes that could be relied on. */
  fail(failure: TerminationSignal): void {
    this.#evidence.failure ??= failure;
    this.end(false);
  }

  /** The value was a whole answer, so that its end is the end even if it does not say so. */
  document(): void {
    this.#evidence.isDocument = true;
  }

  /** The dialect's own end marker has come: nothing follows that matters. */
  complete(): void {
    this.#evidence.isMarked = true;
    this.end(false);
  }

  /** The word `[DONE]`. It ends the stream, and proves nothing else. */
  sentinel(): void {
    this.#evidence.isSentinelSeen = true;
    this.end(false);
  }

  /** An event that could not be read, with whatever it contained. */
  malformed(): void {
    this.#evidence.malformed += 1;
  }

  /** The input has ended. */
  end(isCut: boolean): void {
    if (this.#isConcluded) return;
    this.#isConcluded = true;
    this.#evidence.isCut = isCut;
    const signal = conclude(this.#evidence, this.calls.outcome(), this.#options);
    this.calls.endAll(signal.reason === "tool_calls" || signal.reason === "natural_completion");
    this.#next.push({ type: "finish", signal });
    this.#next.end();
  }

  /** Output, of whatever kind: a finish value that came before it was not the last word. */
  supersede(): void {
    if (this.#evidence.ending !== undefined) this.#evidence.isStale = true;
  }

  #wordOf(value: unknown): string | undefined {
    if (isAbsent(value)) return undefined;
    if (typeof value === "string") return value;
    if (typeof value === "number") return this.#options.finishNumbers?.[value] ?? String(value);
    return isRecord(value) && typeof value["type"] === "string" ? value["type"] : undefined;
  }
}

function isSameUsage(one: Usage, other: Usage | undefined): boolean {
  return (
    other !== undefined &&
    one.inputTokens === other.inputTokens &&
    one.outputTokens === other.outputTokens &&
    one.cachedInputTokens === other.cachedInputTokens &&
    one.cacheWriteTokens === other.cacheWriteTokens &&
    one.reasoningTokens === other.reasoningTokens
  );
}
