import type { GenerationEvent, Usage } from "../../events.ts";
import type { Sink } from "../../stage.ts";
import { isTerminationSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import type { Citation } from "./citation.ts";
import { conclude } from "./conclusion.ts";
import type { EndProof, Evidence } from "./conclusion.ts";
import type { DecodeOptions, WireFormatName } from "../format.ts";
import { NO_WORD, isAbsent, isKnownWord, meaningOf } from "./finish-words.ts";
import type { FinishMeaning } from "./finish-words.ts";
import { isRecord, jsonTextOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { sanitiseSignal, sanitiseWord } from "./sanitise.ts";
import { ToolCalls } from "./tool-calls.ts";

/** From the weakest to the strongest. */
const PROOFS: readonly EndProof[] = ["none", "document", "sentinel", "marker"];

/**
 * An answer under way. The readers of the dialects say what they find, in the order in which it stands there; this
 * passes the events on, keeps the evidence of how the answer ends, and writes the one finish when nothing can follow.
 */
export class Answer {
  readonly calls: ToolCalls;
  readonly #next: Sink<GenerationEvent>;
  readonly #format: WireFormatName;
  readonly #options: DecodeOptions;
  #isStarted = false;
  #isConcluded = false;
  #textLength = 0;
  #usage: Usage | undefined;
  readonly #evidence: Evidence = {
    ending: undefined,
    failure: undefined,
    told: undefined,
    proof: "none",
    isProvisional: false,
    isRefused: false,
    isContradicted: false,
    isCut: false,
    malformed: 0,
  };
  /** What the value that is being read tells in our own words. */
  #toldNow: TerminationSignal | undefined;
  #beforeEnd: (() => void) | undefined;

  constructor(next: Sink<GenerationEvent>, format: WireFormatName, options: DecodeOptions) {
    this.#next = next;
    this.#format = format;
    this.#options = options;
    this.calls = new ToolCalls(
      {
        push: (event) => {
          this.supersede();
          this.#emit(event);
        },
        end: () => undefined,
      },
      format,
    );
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  get isConcluded(): boolean {
    return this.#isConcluded;
  }

  /** How much visible text has been passed on, which is where citations count from. */
  get textLength(): number {
    return this.#textLength;
  }

  /**
   * The answer has begun. Providers repeat its id with every chunk; the first one counts. Where there is none, the time
   * at which it was made tells it from others.
   */
  start(id: unknown, model: unknown, time?: unknown): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.calls.distinguish(stringOf(id) || jsonTextOf(time));
    this.#emit({ type: "start", id: stringOf(id), model: stringOf(model) });
  }

  text(text: string): void {
    if (text === "") return;
    this.supersede();
    this.#textLength += text.length;
    this.#emit({ type: "text", text });
  }

  reasoning(text: string): void {
    if (text === "") return;
    this.supersede();
    this.#emit({ type: "reasoning", text });
  }

  /** The provider's proof for the thinking that has just ended. */
  signature(signature: unknown): void {
    if (typeof signature !== "string" || signature === "") return;
    this.#emit({ type: "reasoning", text: "", signature, signedBy: this.#format });
  }

  /** Thinking of which the provider shows nothing but its proof. */
  redactedReasoning(signature: unknown): void {
    if (typeof signature !== "string" || signature === "") return;
    this.supersede();
    this.#emit({ type: "reasoning", text: "", signature, signedBy: this.#format, redacted: true });
  }

  /** A refusal is text for the user, and makes the ending one. */
  refusal(text: string): void {
    if (text === "") return;
    this.#evidence.isRefused = true;
    this.text(text);
  }

  /** A part that only its own provider understands. */
  opaque(value: unknown): void {
    this.supersede();
    this.#emit({ type: "opaque", format: this.#format, value });
  }

  /** Where something in the text is taken from. It is no output of its own, and so takes no finish value back. */
  citation(citation: Citation): void {
    this.#emit({ type: "citation", ...citation, format: this.#format });
  }

  /** Token counts. Providers repeat them, so only what is new is passed on. */
  usage(usage: Usage | undefined): void {
    if (usage === undefined || isSameUsage(usage, this.#usage)) return;
    this.#usage = usage;
    this.#emit({ type: "usage", usage });
  }

  /**
   * A finish value, and what has matched if the provider tells: a stop string, or the number of a stop token. The last
   * value that says something counts. `metadata` is what else the provider says there.
   */
  finish(field: string, value: unknown, matched?: unknown, metadata?: JsonRecord): void {
    if (isAbsent(value)) return;
    const word = this.#wordOf(value);
    if (word === undefined) {
      this.finishAs(NO_WORD, field, sanitiseWord(jsonTextOf(value)), matched, metadata);
      return;
    }
    // SGLang's value is an object that also tells what has matched: a string, or a token, which may be the model's own end.
    const match = matched ?? (isRecord(value) ? stringOf(value["matched"]) : undefined);
    // What stood there is kept, also where a number stood for a word.
    const raw = typeof value === "number" ? String(value) : isKnownWord(word) ? word : sanitiseWord(word);
    this.finishAs(meaningOf(word), field, raw, match, metadata);
  }

  /** A finish value that means something else in its place than the word does elsewhere. */
  finishAs(meaning: FinishMeaning, field: string, value: string, matched?: unknown, metadata: JsonRecord = {}): void {
    const { ending } = this.#evidence;
    if (meaning.isPlaceholder === true && ending !== undefined) return;
    // The same word again, as some send it twice, does not take back what has matched.
    const match = isMatch(matched) ? matched : ending?.value === value && !ending.isStale ? ending.matched : undefined;
    this.#evidence.isContradicted ||= ending?.isStale === true && ending.meaning.reason === "natural_completion";
    this.#evidence.ending = { field, value, meaning, matched: match, metadata, isStale: false };
    this.#evidence.told = this.#toldNow;
  }

  /** A value begins, in which the sender may have said in our own words how it ended. */
  beginValue(told: unknown): void {
    this.#toldNow = told !== undefined && isTerminationSignal(told) ? sanitiseSignal(told) : undefined;
  }

  /** The value has been read. What it told holds even if its dialect had no word for it. */
  endValue(): void {
    if (this.#toldNow !== undefined) this.#evidence.told = this.#toldNow;
    this.#toldNow = undefined;
  }

  /** An error, after which nothing comes that could be relied on. */
  fail(failure: TerminationSignal): void {
    this.#evidence.failure ??= this.#toldNow ?? failure;
    this.end(false);
  }

  /** The value is a whole answer, so that its end is the end even if it does not say so. */
  document(): void {
    this.#prove("document");
  }

  /** There is more than one value, so that none of them was a whole answer. */
  undocument(): void {
    if (this.#evidence.proof === "document") this.#evidence.proof = "none";
  }

  /** In this dialect a finish value may come early and more than once: only the end of the input makes it the last. */
  provisional(): void {
    this.#evidence.isProvisional = true;
  }

  /** The dialect's own end marker has come; counts may follow. */
  mark(): void {
    this.#prove("marker");
  }

  /** The dialect's own end marker has come, and nothing follows that matters. */
  complete(): void {
    this.mark();
    this.end(false);
  }

  /** The word `[DONE]`. It ends the stream, and proves nothing else. */
  sentinel(): void {
    this.#prove("sentinel");
    this.end(false);
  }

  /** An event that could not be read, with whatever it contained. */
  malformed(): void {
    this.#evidence.malformed += 1;
  }

  /** What a reader still holds has to leave before the end. */
  beforeEnd(flush: () => void): void {
    this.#beforeEnd = flush;
  }

  /** The input has ended. */
  end(isCut: boolean): void {
    if (this.#isConcluded) return;
    // What is held came before the end, and so before whatever has been said of the end.
    const { told, ending } = this.#evidence;
    const isStale = ending?.isStale ?? false;
    this.#beforeEnd?.();
    this.#evidence.told = told;
    if (ending !== undefined) ending.isStale = isStale;
    this.#evidence.isCut = isCut;
    if (this.#toldNow !== undefined) this.#evidence.told = this.#toldNow;
    const signal = conclude(this.#evidence, this.calls.outcome(), this.#options);
    this.calls.endAll(signal.reason === "tool_calls" || signal.reason === "natural_completion");
    this.#isConcluded = true;
    this.#next.push({ type: "finish", signal });
    this.#next.end();
  }

  /** Output, of whatever kind: a finish value that came before it was not the last word. */
  supersede(): void {
    if (this.#evidence.ending !== undefined) this.#evidence.ending.isStale = true;
    this.#evidence.told = undefined;
  }

  /** Nothing follows the finish, also where a value goes on after the error that has ended the answer. */
  #emit(event: GenerationEvent): void {
    if (!this.#isConcluded) this.#next.push(event);
  }

  /** Keeps the stronger of two proofs. */
  #prove(proof: EndProof): void {
    if (PROOFS.indexOf(proof) > PROOFS.indexOf(this.#evidence.proof)) this.#evidence.proof = proof;
  }

  #wordOf(value: unknown): string | undefined {
    if (typeof value === "string") return value;
    if (typeof value === "number") return this.#options.finishNumbers?.[value] ?? String(value);
    return isRecord(value) && typeof value["type"] === "string" ? value["type"] : undefined;
  }
}

function isMatch(matched: unknown): matched is string | number {
  return typeof matched === "number" || (typeof matched === "string" && matched !== "");
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
