import type { GenerationEvent } from "fullstop";
import { SourceList } from "fullstop/control";
import type { Source } from "fullstop/control";

/**
 * Where what is recorded is not simply put together, after so many events: another answer begins in a paragraph of its
 * own, as after a tool was called, or all of the one under way is taken back but for its first characters.
 */
export interface Seam {
  readonly events: number;
  readonly keep: number | "all";
}

/** A text that grows, as it is seen. */
class SeenText {
  #settled = "";
  #text = "";

  /** All of it. */
  get value(): string {
    return this.#settled + this.#text;
  }

  add(text: string): void {
    this.#text += text;
  }

  /** Begins another answer, or takes back what was said of this one. */
  sew(keep: Seam["keep"]): void {
    if (keep === "all") {
      const before = this.value.trimEnd();
      this.#settled = before === "" ? "" : `${before}\n\n`;
    }
    this.#text = keep === "all" ? "" : this.#text.slice(0, keep);
  }
}

/** What people have seen of an answer. */
export interface SeenAnswer {
  readonly text: string;
  readonly thinking: string;
  readonly sources: readonly Source[];
}

/** An answer as it is seen while it grows. */
export class SeenEvents implements SeenAnswer {
  readonly #text = new SeenText();
  readonly #thinking = new SeenText();
  readonly #list = new SourceList();

  get text(): string {
    return this.#text.value;
  }

  get thinking(): string {
    return this.#thinking.value;
  }

  get sources(): readonly Source[] {
    return this.#list.sources;
  }

  add(event: GenerationEvent): void {
    if (event.type === "text") this.#text.add(event.text);
    else if (event.type === "reasoning") this.#thinking.add(event.text);
    this.#list.add(event);
  }

  /** Begins another answer, or takes back what was said of this one. */
  sew(keep: Seam["keep"]): void {
    this.#text.sew(keep);
    if (keep === "all") {
      this.#thinking.sew(keep);
      this.#list.startAnswer();
    } else {
      // Only what everybody reads is taken back, with its sources.
      this.#list.rewind(keep);
    }
  }
}

/** A recorded answer as it was seen. */
export function recordedAnswer(events: readonly GenerationEvent[], seams: readonly Seam[]): SeenAnswer {
  const seen = new SeenEvents();
  const sew = (isDue: (seam: Seam) => boolean): void => {
    for (const { keep } of seams.filter(isDue)) seen.sew(keep);
  };
  for (const [index, event] of events.entries()) {
    sew((seam) => seam.events === index);
    seen.add(event);
  }
  sew((seam) => seam.events >= events.length);
  return seen;
}
