/** Turns a token of a vocabulary, as the model's file spells it, into the bytes it stands for. */
export type TokenBytes = (spelling: string) => Uint8Array;

/** The kinds of token that a GGUF file tells apart. */
export const TOKEN_TYPES = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

const encoder = new TextEncoder();

/**
 * How the tokens of a kind of tokenizer are spelt, by the name that the model's file gives it; undefined for a kind
 * that nobody here knows.
 */
export function tokenBytesOf(tokenizer: string): TokenBytes | undefined {
  if (tokenizer === "gpt2") return fromByteLetters;
  if (tokenizer === "llama" || tokenizer === "t5") return fromPieces;
  return undefined;
}

/** The bytes of a token that is spelt as it looks, as added tokens are. */
export function literalBytes(spelling: string): Uint8Array {
  return encoder.encode(spelling);
}

/**
 * Byte-level vocabularies write every byte as one printable letter: those that are printable as themselves, the
 * others in order from U+0100 on.
 */
function fromByteLetters(spelling: string): Uint8Array {
  const bytes: number[] = [];
  for (const letter of spelling) {
    const byte = BYTE_OF_LETTER.get(letter);
    // A letter outside the table is no byte of such a vocabulary, so the spelling is meant as it looks.
    if (byte === undefined) return literalBytes(spelling);
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

const BYTE_OF_LETTER: ReadonlyMap<string, number> = createLetters();

function createLetters(): Map<string, number> {
  const letters = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 0x100; byte++) {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
    letters.set(String.fromCodePoint(isPrintable ? byte : next), byte);
    if (!isPrintable) next += 1;
  }
  return letters;
}

/** SentencePiece vocabularies write a space as U+2581 and a byte on its own as `<0xE2>`. */
function fromPieces(spelling: string): Uint8Array {
  const byte = /^<0x(?<hex>[0-9A-Fa-f]{2})>$/u.exec(spelling)?.groups?.["hex"];
  return byte === undefined
    ? literalBytes(spelling.replaceAll("\u2581", " "))
    : Uint8Array.of(Number.parseInt(byte, 16));
}
