import type { Channel } from "../events.ts";
import type { TerminationSignal } from "../termination.ts";
import { isHighSurrogate, isLowSurrogate } from "../text/surrogates.ts";
import { PeriodDetector } from "./period-detector.ts";
import type { Loop } from "./period-detector.ts";
import { repetitionSignal } from "./repetition.ts";
import type { CompiledRepetition } from "./repetition.ts";

/** A loop in a channel. */
export interface LoopFinding {
  /** Where it was recognised, as an offset into the text of the channel. */
  readonly at: number;
  /** How much of the channel is shown when the loop is to be trimmed. */
  readonly trimmedEnd: number;
  readonly signal: TerminationSignal;
}

/** Watches one channel of one generation for loops. */
export interface LoopWatch {
  /** Reads a piece, which lies at `offset` in its channel. While not `armed`, loops pass unnoticed. */
  read(text: string, tokenIds: readonly number[], offset: number, armed: boolean): LoopFinding | undefined;
  /** How many code units at the end repeat earlier ones and would be trimmed if this became a loop. */
  readonly repeating: number;
}

/** Opens a watch, on characters or on token ids as the settings say. */
export function createLoopWatch(channel: Channel, settings: CompiledRepetition): LoopWatch {
  return settings.unit === "tokens" ? new TokenLoopWatch(channel, settings) : new TextLoopWatch(channel, settings);
}

class TextLoopWatch implements LoopWatch {
  readonly #channel: Channel;
  readonly #detector: PeriodDetector;
  readonly #trims: boolean;
  /**
   * How far the channel has been shown when it is trimmed: a run is recognised some way into its second copy, and
   * what was out by then cannot be taken back. Kept letter by letter, so that it does not depend on the pieces.
   */
  #shownEnd = 0;

  constructor(channel: Channel, { profile, trim }: CompiledRepetition) {
    this.#channel = channel;
    this.#detector = new PeriodDetector(profile, Uint16Array);
    this.#trims = trim;
  }

  get repeating(): number {
    if (!this.#trims) return 0;
    const detector = this.#detector;
    const { streak } = detector;
    // With the second half of a character goes the first, though that one may not repeat. Without a streak there is none:
    // a text does not end in a first half here.
    const isHalved = isLowSurrogate(detector.symbolAt(streak - 1)) && isHighSurrogate(detector.symbolAt(streak));
    return isHalved ? streak + 1 : streak;
  }

  read(text: string, _tokenIds: readonly number[], offset: number, armed: boolean): LoopFinding | undefined {
    if (this.#trims) return this.#readLetters(text, offset, armed);
    for (let end = this.#detector.readText(text, 0); end !== 0; end = this.#detector.readText(text, end)) {
      const finding = armed ? this.#report(text, end, offset) : undefined;
      if (finding !== undefined) return finding;
    }
    return undefined;
  }

  /** As `read`, and keeps account of what has been shown after each letter. */
  #readLetters(text: string, offset: number, armed: boolean): LoopFinding | undefined {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      const finding = this.#detector.push(unit) && armed ? this.#report(text, index + 1, offset) : undefined;
      if (finding !== undefined) return finding;
      if (!isHighSurrogate(unit)) this.#shownEnd = Math.max(this.#shownEnd, offset + index + 1 - this.repeating);
    }
    return undefined;
  }

  /** The loop that ends at an index of the text; none if it is one of halves of characters only. */
  #report(text: string, end: number, offset: number): LoopFinding | undefined {
    const { period, length } = this.#detector.loop!;
    let covered = length;
    const unitAt = (index: number): number => this.#detector.symbolAt((covered - 1 - index) % period);
    // A run may begin with the second half of a character that shares only that half with the one before.
    if (isLowSurrogate(unitAt(0))) covered -= 1;
    const count = Math.floor(covered / period);
    if (count < Math.floor(length / period)) return undefined;
    let pattern = "";
    for (let index = 0; index < period; index++) pattern += String.fromCharCode(unitAt(index));
    const start = offset + end - covered;
    const channel = this.#channel;
    // Not between the halves of a character. The second half is in the same piece, unless there is none.
    const isHalved = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end));
    const at = offset + (isHalved ? end + 1 : end);
    const signal = repetitionSignal({ pattern, count, period, start, end: at, channel, unit: "characters" });
    return { at, trimmedEnd: Math.max(start + period, this.#shownEnd), signal };
  }
}

class TokenLoopWatch implements LoopWatch {
  /** Which text belongs to which token is not known here, so there is nothing that could be trimmed. */
  readonly repeating = 0;
  readonly #channel: Channel;
  readonly #detector: PeriodDetector;
  #tokens = 0;

  constructor(channel: Channel, { profile }: CompiledRepetition) {
    this.#channel = channel;
    this.#detector = new PeriodDetector(profile, Int32Array);
  }

  read(text: string, tokenIds: readonly number[], offset: number, armed: boolean): LoopFinding | undefined {
    const end = offset + text.length;
    for (const id of tokenIds) {
      this.#tokens += 1;
      if (!this.#detector.push(id) || !armed) continue;
      return { at: end, trimmedEnd: end, signal: this.#report(this.#detector.loop!) };
    }
    return undefined;
  }

  #report({ period, length }: Loop): TerminationSignal {
    const ids = Array.from({ length: period }, (_, index) => this.#detector.symbolAt((length - 1 - index) % period));
    return repetitionSignal({
      pattern: `[${ids.join(", ")}]`,
      count: Math.floor(length / period),
      period,
      start: this.#tokens - length,
      end: this.#tokens,
      channel: this.#channel,
      unit: "tokens",
    });
  }
}
