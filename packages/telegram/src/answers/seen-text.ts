import type { GenerationEvent } from "fullstop";

/**
 * Where what is recorded is not simply put together, after so many events: another answer begins in a paragraph of its
 * own, as after a tool was called, or all of the one under way is taken back but for its first characters.
 */
export interface Seam {
  readonly events: number;
  readonly keep: number | "all";
}

/** A text that grows, as it is seen. */
export class SeenText {
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

/** The text and the thinking of a recorded answer as they were seen. */
export function recordedTexts(
  events: readonly GenerationEvent[],
  seams: readonly Seam[],
): { readonly text: string; readonly thinking: string } {
  const [text, thinking] = [new SeenText(), new SeenText()];
  const sew = (isDue: (seam: Seam) => boolean): void => {
    for (const { keep } of seams.filter(isDue)) {
      text.sew(keep);
      // Only what everybody reads is taken back.
      if (keep === "all") thinking.sew(keep);
    }
  };
  for (const [index, event] of events.entries()) {
    sew((seam) => seam.events === index);
    if (event.type === "text") text.add(event.text);
    else if (event.type === "reasoning") thinking.add(event.text);
  }
  sew((seam) => seam.events >= events.length);
  return { text: text.value, thinking: thinking.value };
}
