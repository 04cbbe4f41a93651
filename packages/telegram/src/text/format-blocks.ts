import type { MarkedToken, Token, Tokens } from "marked";
import { asMarked, writeInline } from "./format-inline.ts";
import { replaceLineEnds } from "./line-ends.ts";
import { formatTable } from "./format-table.ts";
import { TextBuilder } from "./text-builder.ts";

const RULE = "—".repeat(8);
/** A language as a client could know it, not a title or a list of options. */
const LANGUAGE = /^[\p{L}\p{N}_+#.-]{1,32}/u;

/**
 * Writes blocks with as much space between them as there is in the Markdown, a blank line at most.
 *
 * @param before - The white space between these blocks and an earlier one; undefined if they are the first.
 * @returns The white space after the last of them, so that others can follow.
 */
export function writeBlocks(tokens: readonly Token[], builder: TextBuilder, before?: string): string | undefined {
  let between = before;
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
  return between;
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
      builder.styled({ type: "blockquote" }, () => void writeBlocks(token.tokens, builder));
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
    builder.indented(() => void writeBlocks(item.tokens, builder));
  }
}

function writeTable(table: Tokens.Table, builder: TextBuilder): void {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => plainText(cell.tokens)));
  builder.pre(formatTable(rows, table.align), undefined);
}

function plainText(tokens: readonly Token[]): string {
  const builder = new TextBuilder();
  writeInline(tokens, builder);
  return replaceLineEnds(builder.finish().text, " ");
}

function hasBlankLine(whiteSpace: string): boolean {
  return /\n[ \t]*\n/u.test(whiteSpace);
}
