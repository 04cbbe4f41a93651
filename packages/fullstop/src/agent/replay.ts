import type { GenerationEvent, TextEvent } from "../events.ts";
import type { Sink, Stage } from "../stage.ts";
import { isHighSurrogate, isLowSurrogate } from "../text/surrogates.ts";
import { defineOverlapTrimmer } from "./overlap-trimmer.ts";

/**
 * From how many characters (UTF-16 code units) on it is no accident that the rest of an answer begins as the answer
 * itself did. Models that go on properly repeat headings, the head of a table, the imports of a program or a notice
 * at the top of a file before they do, up to several hundred characters, and taken for a replay that would cost the
 * answer. A model that starts over copies what it has before its eyes, mostly to the letter, so it gets this far.
 */
export const LEAST_REPLAY = 1000;

/** What a trimmer of continuations works with. */
export interface ContinuationTrimmerOptions {
  /** Told of a second version that differs, before its text: only so many characters of the first belong to it too. */
  readonly onNewVersion: (keep: number) => void;
  /** Told that the end of `before` was repeated. */
  readonly onRepeatedEnd?: (() => void) | undefined;
  /** The fewest characters that are a replay. Default {@link LEAST_REPLAY}. */
  readonly leastReplay?: number | undefined;
}

/**
 * Takes from a continuation what repeats `before`: its end, as {@link defineOverlapTrimmer} does, or its beginning, if
 * the model was asked for the rest and has started over. A replay is dropped as it streams. Behind the end of `before`
 * it is the rest that was asked for. If it ends earlier, it has brought nothing. If it leaves `before`, it is another
 * version of the answer, and that one counts from there on:
 *
 * Both versions together would be two answers in one, and the first with nothing behind it would stay cut for ever,
 * after the model has written, and somebody has paid for, one that may well come to its end. The rest of the second
 * does not fit behind the first, which may have said the same or the contrary. So the second is taken, although the
 * first may be the longer one if the second is cut as well: it can be continued like any answer.
 */
export function defineContinuationTrimmer(
  before: string,
  { onNewVersion, onRepeatedEnd, leastReplay = LEAST_REPLAY }: ContinuationTrimmerOptions,
): Stage<GenerationEvent, GenerationEvent> {
  const trimOverlap = defineOverlapTrimmer(before, { onOverlap: onRepeatedEnd });
  // Of a draft that is shorter than any replay, all of it is found where its repeated end is looked for.
  if (before.length < leastReplay) return trimOverlap;
  const listeners = { onNewVersion, onRepeatedEnd };
  return (next) => new ContinuationTrimmer(before, leastReplay, listeners, { next, trimmed: trimOverlap(next) });
}

type Listeners = Pick<ContinuationTrimmerOptions, "onNewVersion" | "onRepeatedEnd">;

/** Where events go that are none of a replay: after one to the next sink, without one through the trimmer of overlaps. */
interface Ways {
  readonly next: Sink<GenerationEvent>;
  readonly trimmed: Sink<GenerationEvent>;
}

class ContinuationTrimmer implements Sink<GenerationEvent> {
  readonly #before: string;
  readonly #leastReplay: number;
  readonly #listeners: Listeners;
  readonly #ways: Ways;
  /** What is undecided: text that repeats the beginning so far, and thinking and citations amid it. */
  #held: GenerationEvent[] = [];
  #state: "undecided" | "replay" | "over" = "undecided";
  #out: Sink<GenerationEvent>;
  /** How many characters of `before` were repeated. */
  #repeated = 0;

  constructor(before: string, leastReplay: number, listeners: Listeners, ways: Ways) {
    this.#before = before;
    this.#leastReplay = leastReplay;
    this.#listeners = listeners;
    this.#ways = ways;
    this.#out = ways.trimmed;
  }

  push(event: GenerationEvent): void {
    if (this.#state === "over") {
      this.#out.push(event);
      return;
    }
    switch (event.type) {
      case "text":
        // A token without text may be the model's end token; with nothing held there is nothing to wait for.
        if (event.text === "" && this.#held.length === 0) this.#out.push(event);
        else this.#follow(event);
        break;
      case "reasoning":
      case "citation":
        if (this.#held.length > 0) this.#held.push(event);
        else this.#out.push(event);
        break;
      case "start":
      case "usage":
        this.#out.push(event);
        break;
      case "tool-call-start":
      case "tool-call-delta":
      case "tool-call-end":
      case "opaque":
      case "finish":
        this.#release();
        this.#out.push(event);
        break;
    }
  }

  end(): void {
    this.#release();
    this.#out.end();
  }

  #follow(event: TextEvent): void {
    const same = countSame(event.text, this.#before, this.#repeated);
    const repeated = this.#repeated + same;
    if (this.#state === "undecided") {
      if (repeated < this.#leastReplay && same === event.text.length) {
        this.#repeated = repeated;
        this.#held.push(event);
        return;
      }
      if (!this.#isReplay(repeated)) {
        this.#held.push(event);
        this.#release();
        return;
      }
      this.#dropHeld();
    }
    this.#repeated = repeated;
    if (repeated === this.#before.length) {
      this.#listeners.onRepeatedEnd?.();
      this.#goOn(event, event.text.slice(same));
    } else if (same < event.text.length) this.#startNewVersion(event, event.text.slice(same));
  }

  /** What stands in the answer more than once may well stand in its rest again, without anybody starting over. */
  #isReplay(repeated: number): boolean {
    const head = this.#before.slice(0, this.#leastReplay);
    return repeated >= this.#leastReplay && !this.#before.includes(head, 1);
  }

  /**
   * It is a replay: of what was held only the text does not go on, and what follows has nothing to do with overlaps.
   * Citations count from the same beginning as before.
   */
  #dropHeld(): void {
    this.#state = "replay";
    this.#out = this.#ways.next;
    for (const event of this.#held) if (event.type !== "text") this.#out.push(event);
    this.#held = [];
  }

  /** Nothing more is compared; what is held turned out to be no replay. */
  #release(): void {
    this.#state = "over";
    for (const event of this.#held) this.#out.push(event);
    this.#held = [];
  }

  #startNewVersion(event: TextEvent, rest: string): void {
    const before = this.#before;
    const at = this.#repeated;
    // Versions that differ in the second half of a character differ in the character.
    const isTorn =
      isHighSurrogate(before.charCodeAt(at - 1)) &&
      (isLowSurrogate(before.charCodeAt(at)) || isLowSurrogate(rest.charCodeAt(0)));
    const keep = isTorn ? at - 1 : at;
    this.#listeners.onNewVersion(keep);
    this.#goOn(event, before.slice(keep, at) + rest);
  }

  #goOn(event: TextEvent, rest: string): void {
    this.#state = "over";
    if (rest !== "") this.#out.push({ ...event, text: rest });
  }
}

/** How many characters at the start of a text are the same as those of another from a place on. */
function countSame(text: string, other: string, from: number): number {
  if (other.startsWith(text, from)) return text.length;
  let same = 0;
  while (same < text.length && text.charCodeAt(same) === other.charCodeAt(from + same)) same += 1;
  return same;
}
