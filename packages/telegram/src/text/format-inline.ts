import type { MarkedToken, Token, Tokens } from "marked";
import { decodeCharacterReferences } from "./character-references.ts";
import { readLinkTarget } from "./links.ts";
import type { TextBuilder } from "./text-builder.ts";

/** Writes what is in a paragraph, a heading or a cell. */
export function writeInline(tokens: readonly Token[], builder: TextBuilder): void {
  for (const token of tokens) writeToken(asMarked(token), builder);
}

/** Without extensions, the lexer makes no tokens but its own. */
export function asMarked(token: Token): MarkedToken {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return token as MarkedToken;
}

function writeToken(token: MarkedToken, builder: TextBuilder): void {
  switch (token.type) {
    case "strong":
      builder.styled({ type: "bold" }, () => writeInline(token.tokens, builder));
      return;
    case "em":
      builder.styled({ type: "italic" }, () => writeInline(token.tokens, builder));
      return;
    case "del":
      writeStruck(token, builder);
      return;
    case "codespan":
      builder.code(token.text);
      return;
    case "br":
      builder.breakLine(1);
      return;
    case "link":
    case "image":
      writeLink(token, builder);
      return;
    case "escape":
      builder.write(token.text);
      return;
    case "text":
      if (token.tokens === undefined) builder.write(decodeCharacterReferences(withoutIndentation(token.text)));
      else writeInline(token.tokens, builder);
      return;
    case "checkbox":
      // The list item has written it.
      return;
    default:
      builder.writeVerbatim(token.raw);
  }
}

/** One tilde means "about" in answers far more often than it strikes anything out. */
function writeStruck(token: Tokens.Del, builder: TextBuilder): void {
  if (token.raw.startsWith("~~")) {
    builder.styled({ type: "strikethrough" }, () => writeInline(token.tokens, builder));
    return;
  }
  builder.write("~");
  writeInline(token.tokens, builder);
  builder.write("~");
}

function writeLink(token: Tokens.Link | Tokens.Image, builder: TextBuilder): void {
  if (token.type === "link" && (token.autolink ?? false)) {
    // Telegram finds bare addresses by itself.
    builder.write(token.text);
    return;
  }
  const href = decodeCharacterReferences(token.href);
  const target = readLinkTarget(href);
  const writeLabel = (): void => {
    if (token.text.trim() === "") builder.write(href);
    else writeInline(token.tokens, builder);
  };
  if (target.kind === "link") {
    builder.styled({ type: "text_link", url: target.url }, writeLabel);
    return;
  }
  writeLabel();
  if (target.kind === "address" && token.text.trim() !== "" && token.text !== target.address) {
    builder.write(` (${target.address})`);
  }
}

function withoutIndentation(text: string): string {
  if (!text.includes("\n")) return text;
  // Whole runs, for the reason that `replaceLineEnds` has.
  return text.replaceAll(/[ \t\n]+/gu, (run) => (run.includes("\n") ? run.replaceAll(/[ \t]+/gu, "") : run));
}
