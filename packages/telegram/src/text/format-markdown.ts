import { Lexer, Tokenizer, type MarkedToken, type Token, type Tokens } from "marked";
import { cleanText, isBlank } from "./clean-text.ts";
import { trimFormatted } from "./entities.ts";
import { asMarked, writeInline } from "./format-inline.ts";
import { formatTable } from "./format-table.ts";
import type { FormattedText } from "./formatted-text.ts";
import { TextBuilder } from "./text-builder.ts";

const RULE = "—".repeat(8);
/** A language as a client could know it, not a title or a list of options. */
const LANGUAGE = /^[\p{L}\p{N}_+#.-]{1,32}/u;

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

/**
 * Turns Markdown into text with entities, as Telegram takes it without a parse mode. Whatever is half-written, wrong
 * or unknown is shown as it is; nothing makes it fail, and nothing that it returns is refused by Telegram.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const source = markdown.toWellFormed();
  const formatted = formatSource(source);
  // Markdown that shows nothing, such as a fence without code, is still something that was said.
  return isBlank(formatted.text) ? formatPlain(source) : formatted;
}

/** Text without any formatting, as Telegram keeps it; nothing if there is nothing to be seen. */
export function formatPlain(text: string): FormattedText {
  const cleaned = cleanText(text.toWellFormed());
  return isBlank(cleaned) ? { text: "", entities: [] } : trimFormatted({ text: cleaned, entities: [] });
}

function formatSource(source: string): FormattedText {
  try {
    const builder = new TextBuilder();
    writeBlocks(new Lexer({ gfm: true, tokenizer: new ChatTokenizer() }).lex(source), builder);
    return builder.finish();
  } catch (error) {
    // Thousands of brackets or quotes inside each other are more than the stack holds, and nothing that anyone reads.
    if (error instanceof RangeError) return formatPlain(source);
    throw error;
  }
}

function writeBlocks(tokens: readonly Token[], builder: TextBuilder): void {
  let between: string | undefined;
  for (const token of tokens.map(asMarked)) {
    if (token.type === "space") {
      if (between !== undefined) between += token.raw;
      continue;
    }
    // The list item has written its box.
    if (token.type === "checkbox") continue;
    if (between !== undefined) builder.breakLine(hasBlankLine(between) ? 2 : 1);
    writeBlock(token, builder);
    between = token.raw.slice(token.raw.trimEnd().length);
  }
}

function writeBlock(token: MarkedToken, builder: TextBuilder): void {
  switch (token.type) {
    case "heading":
      builder.styled({ type: "bold" }, () => writeInline(token.tokens, builder));
      return;
    case "paragraph":
      writeInline(token.tokens, builder);
      return;
    case "code":
      builder.pre(token.text, LANGUAGE.exec(token.lang ?? "")?.[0]);
      return;
    case "blockquote":
      builder.styled({ type: "blockquote" }, () => writeBlocks(token.tokens, builder));
      return;
    case "list":
      writeList(token, builder);
      return;
    case "table":
      writeTable(token, builder);
      return;
    case "hr":
      builder.write(RULE);
      return;
    case "html":
      builder.writeVerbatim(token.raw.trimEnd());
      return;
    default:
      writeInline([token], builder);
  }
}

function writeList(list: Tokens.List, builder: TextBuilder): void {
  const first = list.start === "" ? 1 : list.start;
  for (const [index, item] of list.items.entries()) {
    const previous = list.items[index - 1]?.raw;
    // Blank lines are kept where they are: what a later item has between its lines does not move the earlier ones.
    if (previous !== undefined) builder.breakLine(hasBlankLine(previous.slice(previous.trimEnd().length)) ? 2 : 1);
    const box = item.task ? (item.checked === true ? "☑ " : "☐ ") : "";
    const marker = list.ordered ? `${first + index}. ${box}` : box === "" ? "• " : box;
    builder.write(marker);
    builder.indented(() => writeBlocks(item.tokens, builder));
  }
}

function writeTable(table: Tokens.Table, builder: TextBuilder): void {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => plainText(cell.tokens)));
  builder.pre(formatTable(rows, table.align), undefined);
}

function plainText(tokens: readonly Token[]): string {
  const builder = new TextBuilder();
  writeInline(tokens, builder);
  return builder.finish().text.replaceAll(/\s*\n\s*/gu, " ");
}

function hasBlankLine(whiteSpace: string): boolean {
  return /\n[ \t]*\n/u.test(whiteSpace);
}
