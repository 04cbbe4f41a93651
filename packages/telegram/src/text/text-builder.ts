import type { MessageEntity } from "grammy/types";
import { cleanText } from "./clean-text.ts";
import { compareEntities, trimFormatted } from "./entities.ts";
import type { FormattedText } from "./formatted-text.ts";

/** What can be opened around more text. Code is not among them: nothing can be in it. */
type Style =
  | { readonly type: "bold" | "italic" | "strikethrough" | "blockquote" }
  | { readonly type: "text_link"; readonly url: string };

interface OpenSpan {
  readonly style: Style;
  /** Where its first character is, as soon as there is one. */
  start: number | undefined;
}

/** Deeper lists are not indented further: there is no room for it on a telephone. */
const MAXIMUM_DEPTH = 6;
const INDENTATION = "   ";

/**
 * Writes formatted text from front to back. Line breaks are held back until something follows them and entities begin
 * with their first character, so that nothing empty comes out, whatever the Markdown was.
 */
export class TextBuilder {
  /** Not one string: looking at its end would copy it every time. */
  #parts: string[] = [];
  #length = 0;
  #isAtLineStart = true;
  #entities: MessageEntity[] = [];
  readonly #open: OpenSpan[] = [];
  #breaks = 0;
  #depth = 0;

  /** Starts a new line before whatever comes next, or a new paragraph with two line breaks. */
  breakLine(breaks: 1 | 2): void {
    this.#breaks = Math.max(this.#breaks, breaks);
  }

  /** Writes running text. Its lines are indented as deep as the list they are in. */
  write(text: string): void {
    this.#put(cleanText(text), "running");
  }

  /** Writes text whose spaces matter. */
  writeVerbatim(text: string): void {
    this.#put(cleanText(text), "verbatim");
  }

  /** What is written by `body` is in this style. One that is already open is not opened again. */
  styled(style: Style, body: () => void): void {
    if (this.#isOpen(style.type)) {
      body();
      return;
    }
    if (style.type === "blockquote") this.#startBlock();
    const span: OpenSpan = { style, start: undefined };
    this.#open.push(span);
    body();
    this.#open.pop();
    this.#close(span);
  }

  /** What is written by `body` belongs to a list item, one step further in. */
  indented(body: () => void): void {
    this.#depth += 1;
    body();
    this.#depth -= 1;
  }

  /** Inline code. Telegram allows nothing around it but a quote, so other styles end before it and go on after it. */
  code(text: string): void {
    if (this.#isOpen("text_link")) {
      // Where a link leads matters more than how it looks.
      this.write(text);
      return;
    }
    this.#putCode({ type: "code" }, cleanText(text), "running");
  }

  /** A block of code on lines of its own. */
  pre(text: string, language: string | undefined): void {
    if (text.trim() === "") return;
    this.#startBlock();
    // Telegram would make a tab one space, and Python something else.
    const code = cleanText(text.replaceAll("\t", "    "));
    this.#putCode(language === undefined ? { type: "pre" } : { type: "pre", language }, code, "block");
  }

  /** Another builder that goes on from here, between two blocks. */
  copy(): TextBuilder {
    const copy = new TextBuilder();
    this.#parts = [this.#parts.join("")];
    copy.#parts = [...this.#parts];
    copy.#entities = [...this.#entities];
    copy.#length = this.#length;
    copy.#isAtLineStart = this.#isAtLineStart;
    copy.#breaks = this.#breaks;
    return copy;
  }

  /** All that was written. */
  finish(): FormattedText {
    // Two texts that were clean by themselves can meet in two direction marks. Cleaning those moves nothing.
    return trimFormatted({ text: cleanText(this.#parts.join("")), entities: this.#entities.sort(compareEntities) });
  }

  #isOpen(type: Style["type"]): boolean {
    return this.#open.some((span) => span.style.type === type);
  }

  #startBlock(): void {
    if (!this.#isAtLineStart) this.breakLine(1);
  }

  /** Returns where the text begins, if there is any. */
  #put(text: string, how: "running" | "verbatim" | "block"): number | undefined {
    let written = text;
    if (how === "running" && (this.#breaks > 0 || this.#isAtLineStart)) written = text.replace(/^[ \t]+/u, "");
    if (written === "") return undefined;
    if (this.#breaks > 0 && this.#length > 0) this.#add("\n".repeat(this.#breaks));
    this.#breaks = 0;
    const indentation = how === "block" ? "" : INDENTATION.repeat(Math.min(this.#depth, MAXIMUM_DEPTH));
    if (indentation !== "") {
      if (this.#isAtLineStart && !written.startsWith("\n")) this.#add(indentation);
      written = written.replaceAll(/\n(?=[^\n])/gu, `\n${indentation}`);
    }
    const start = this.#length;
    for (const span of this.#open) span.start ??= start;
    this.#add(written);
    return start;
  }

  #add(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    this.#isAtLineStart = text.endsWith("\n");
  }

  #putCode(
    entity: { type: "code" } | { type: "pre"; language?: string },
    text: string,
    how: "running" | "block",
  ): void {
    const around = this.#open.filter((span) => span.style.type !== "blockquote");
    for (const span of around) this.#close(span);
    const start = this.#put(text, how);
    for (const span of around) span.start = undefined;
    if (start !== undefined) this.#entities.push({ ...entity, offset: start, length: this.#length - start });
  }

  #close(span: OpenSpan): void {
    if (span.start !== undefined && this.#length > span.start) {
      this.#entities.push({ ...span.style, offset: span.start, length: this.#length - span.start });
    }
    span.start = undefined;
  }
}
