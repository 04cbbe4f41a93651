import { Lexer, Tokenizer, type Token, type Tokens } from "marked";
import { cleanText, isBlank } from "./clean-text.ts";
import { trimFormatted } from "./entities.ts";
import { writeBlocks } from "./format-blocks.ts";
import type { FormattedText } from "./formatted-text.ts";
import { TextBuilder } from "./text-builder.ts";

/** Markdown as a model means it in a chat, where it can also be read while it is being written. */
class ChatTokenizer extends Tokenizer {
  /**
   * Definitions of links come after the text that uses them. They would change messages long sent, and be invisible
   * themselves, so both are shown as they are written.
   */
  override def(): undefined {
    return undefined;
  }

  /** A single dash under a line is the beginning of a list far more often than it makes a heading of that line. */
  override lheading(source: string): Tokens.Heading | undefined {
    const token = super.lheading(source);
    return token !== undefined && /\n {0,3}(?:={3,}|-{3,})[ \t]*\n*$/u.test(token.raw) ? token : undefined;
  }
}

/** The beginning of a text whose meaning no longer changes, whatever follows. */
interface Settled {
  readonly source: string;
  readonly builder: TextBuilder;
  readonly between: string | undefined;
}

/**
 * How many of the last blocks are not settled at least: a line that is not yet complete can still join the block before
 * it. More of them if there is no empty line, because one underline makes a heading of all the lines before it.
 */
const UNSETTLED_BLOCKS = 2;

/**
 * Turns Markdown into text with entities, as Telegram takes it without a parse mode. Whatever is half-written, wrong
 * or unknown is shown as it is; nothing makes it fail, and nothing that it returns is refused by Telegram.
 */
export function formatMarkdown(markdown: string): FormattedText {
  return createMarkdownFormatter()(markdown);
}

/**
 * Makes a `formatMarkdown` for one text that grows. It remembers the blocks that are finished, so that a call costs
 * about as much as what is new: measured at the end of an answer of 16 kB, a tenth of formatting it anew. The results
 * are the same, whatever it is called with.
 */
export function createMarkdownFormatter(): (markdown: string) => FormattedText {
  let settled = settleNothing();
  return (markdown) => {
    const source = markdown.toWellFormed().replaceAll(/\r\n?/gu, "\n");
    if (!source.startsWith(settled.source)) settled = settleNothing();
    try {
      const tokens = lex(source.slice(settled.source.length));
      const count = countSettled(tokens);
      settled = settle(settled, tokens.slice(0, count), source);
      const builder = settled.builder.copy();
      writeBlocks(tokens.slice(count), builder, settled.between);
      const formatted = builder.finish();
      // Markdown that shows nothing, such as a fence without code, is still something that was said.
      return isBlank(formatted.text) ? formatPlain(source) : formatted;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Thousands of quotes inside each other are more than the stack holds, and nothing that anyone reads.
      settled = settleNothing();
      return formatPlain(source);
    }
  };
}

/** Text without any formatting, as Telegram keeps it; nothing if there is nothing to be seen. */
export function formatPlain(text: string): FormattedText {
  const cleaned = cleanText(text.toWellFormed());
  return isBlank(cleaned) ? { text: "", entities: [] } : trimFormatted({ text: cleaned, entities: [] });
}

function lex(source: string): readonly Token[] {
  return new Lexer({ gfm: true, tokenizer: new ChatTokenizer() }).lex(source);
}

function settleNothing(): Settled {
  return { source: "", builder: new TextBuilder(), between: undefined };
}

function settle(settled: Settled, tokens: readonly Token[], source: string): Settled {
  if (tokens.length === 0) return settled;
  const builder = settled.builder.copy();
  const between = writeBlocks(tokens, builder, settled.between);
  const length = tokens.reduce((sum, token) => sum + token.raw.length, settled.source.length);
  return { source: source.slice(0, length), builder, between };
}

function countSettled(tokens: readonly Token[]): number {
  let unsettled = 0;
  for (let index = tokens.length - 1; index > 0; index -= 1) {
    if (tokens[index]?.type !== "space") unsettled += 1;
    if (unsettled >= UNSETTLED_BLOCKS && endsInEmptyLine(tokens[index - 1])) return index;
  }
  return 0;
}

function endsInEmptyLine(token: Token | undefined): boolean {
  return token !== undefined && (token.type === "space" || /\n[ \t]*\n$/u.test(token.raw));
}
