import type { Channel } from "../events.ts";
import { createTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { HeldText } from "../text/held-text.ts";
import { StringMatcher } from "../text/string-matcher.ts";
import type { StringMatch } from "../text/string-matcher.ts";
import { SurrogateJoiner } from "../text/surrogate-joiner.ts";
import { createLoopWatch } from "./loop-watch.ts";
import type { LoopFinding, LoopWatch } from "./loop-watch.ts";
import type { StopRules } from "./stop-rules.ts";
import type { StopSet } from "./stop-strings.ts";

/** A decision on the text of a channel. Positions are offsets into all the text of that channel. */
export interface Cut {
  /** Where the decision fell. The earliest one wins, and nothing after it counts as generated. */
  readonly at: number;
  /** Where the shown text ends. */
  readonly showUntil: number;
  readonly signal: TerminationSignal;
}

/** What the text rules found in a piece. */
export interface Findings {
  readonly match: Cut | undefined;
  readonly loop: Cut | undefined;
}

/** One channel of one generation: the rules that watch its text, and the text that they hold back. */
export class Lane {
  readonly #channel: Channel;
  readonly #stopSet: StopSet | undefined;
  readonly #matcher: StringMatcher | undefined;
  readonly #loopWatch: LoopWatch | undefined;
  readonly #trims: boolean;
  readonly #joiner = new SurrogateJoiner();
  readonly #held = new HeldText();
  #length = 0;

  constructor(channel: Channel, { stopStrings, repetition }: StopRules) {
    const stopSet = stopStrings.get(channel);
    const watchesLoops = repetition?.channels.includes(channel) === true;
    this.#channel = channel;
    this.#stopSet = stopSet;
    this.#matcher = stopSet === undefined ? undefined : new StringMatcher(stopSet);
    this.#loopWatch = watchesLoops ? createLoopWatch(channel, repetition) : undefined;
    this.#trims = repetition?.trim === true;
  }

  /** Code units of whole characters read so far. */
  get length(): number {
    return this.#length;
  }

  /** The text held back at present. */
  get held(): string {
    return this.#held.toString();
  }

  /**
   * Reads a piece. Returns the text that may be shown now, or what the rules found in it; in that case nothing is
   * shown yet and the text stays held.
   */
  feed(piece: string, tokenIds: readonly number[], armed: boolean): string | Findings {
    const text = this.#joiner.push(piece);
    const match = armed ? this.#matcher?.scan(text) : this.#matcher?.skim(text);
    const generated = match === undefined ? text : text.slice(0, match.end);
    const loop = this.#loopWatch?.read(generated, tokenIds, this.#length, armed);
    if (match !== undefined || loop !== undefined) return this.#report(text, match, loop);
    this.#length += text.length;
    const hold = Math.max(this.#matcher?.held ?? 0, this.#loopWatch?.repeating ?? 0);
    if (hold === 0) return this.#held.length === 0 ? text : this.#held.releaseAll() + text;
    this.#held.add(text);
    // Part of a run that is to be trimmed may have been shown before it was recognised.
    return this.#held.release(Math.max(0, this.#held.length - hold));
  }

  /** Releases what is held back. The next piece does not continue a match that had begun. */
  leave(): string {
    const half = this.#joiner.end();
    this.#length += half.length;
    this.#matcher?.reset();
    return this.#held.releaseAll() + half;
  }

  #report(text: string, match: StringMatch | undefined, loop: LoopFinding | undefined): Findings {
    const findings = {
      match: match && this.#matchCut(match),
      loop: loop && { ...loop, showUntil: this.#trims ? Math.min(loop.trimmedEnd, loop.at) : loop.at },
    };
    this.#length += text.length;
    this.#held.add(text);
    return findings;
  }

  #matchCut({ index, length, end }: StringMatch): Cut {
    const text = this.#stopSet!.strings[index]!;
    const matchEnd = this.#length + end;
    const start = matchEnd - length;
    return {
      at: matchEnd,
      showUntil: this.#stopSet!.include[index]! ? matchEnd : start,
      signal: createTerminationSignal({
        reason: "stop_sequence",
        originalField: "stop_string",
        originalValue: text,
        message: "Stop string detected",
        stopSequence: text,
        metadata: { channel: this.#channel, start, end: matchEnd },
      }),
    };
  }
}
