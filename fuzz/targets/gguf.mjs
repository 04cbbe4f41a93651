// @ts-check

const STRING = 8;
const LIST = 9;
const WIDTHS = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];

/** @param {number} value */
function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** @param {number} value */
function uint64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** @param {string} text */
const string = (text) => Buffer.concat([uint64(Buffer.byteLength(text)), Buffer.from(text)]);

/**
 * @param {string} name
 * @param {number} type
 * @param {readonly Buffer[]} value
 */
const field = (name, type, ...value) => Buffer.concat([string(name), uint32(type), ...value]);

/**
 * @param {number} type
 * @param {readonly Buffer[]} values
 */
const list = (type, ...values) => Buffer.concat([uint32(type), uint64(values.length), ...values]);

/**
 * @param {string} name
 * @param {readonly number[]} dimensions
 * @param {number} offset
 */
const tensor = (name, dimensions, offset) =>
  Buffer.concat([string(name), uint32(dimensions.length), ...dimensions.map(uint64), uint32(0), uint64(offset)]);

/**
 * @param {readonly Buffer[]} fields
 * @param {readonly Buffer[]} tensors
 * @param {number} [rest]
 */
const file = (fields, tensors, rest = 64) =>
  Buffer.concat([
    Buffer.from("GGUF"),
    uint32(3),
    uint64(tensors.length),
    uint64(fields.length),
    ...fields,
    ...tensors,
    Buffer.alloc(rest),
  ]);

const NAME = field("general.name", STRING, string("Pip"));
const TOKENS = field("tokenizer.ggml.tokens", LIST, list(STRING, string("a"), string("<|im_end|>"), string("")));
const SCORES = field("tokenizer.ggml.scores", LIST, list(6, uint32(0), uint32(1)));
const TENSORS = [tensor("token_embd.weight", [2, 2], 0), tensor("output.weight", [4], 32)];

/** Small files with whole headers, and one that counts beyond its end. */
export const GGUF_SEEDS = [
  file([NAME, TOKENS, SCORES], TENSORS, 96),
  file([field("general.alignment", 4, uint32(8)), field("b", 7, Buffer.from([1]))], TENSORS.slice(0, 1), 40),
  file([field("c", 12, uint64(1)), field("d", 10, uint64(7)), field("e", 2, Buffer.alloc(2))], []),
  file([field("f", LIST, uint32(STRING), uint64(2 ** 40))], []),
  file([field("general.alignment", 4, uint32(0))], TENSORS),
];

/** Numbers of types and counts as they stand in a header. */
export const GGUF_WORDS = [
  "GGUF",
  "general.alignment",
  ...Array.from({ length: 14 }, (_, type) => `${String.fromCharCode(type)}\0\0\0`),
  ...Array.from({ length: 9 }, (_, count) => `${String.fromCharCode(count)}\0\0\0\0\0\0\0`),
  "\0\0\0\0\0\u0001\0\0",
  "\u007F\0\0\0\0\0\0\0",
];

/** A value is behind the end of the file, or there is no such value. */
class Refused extends Error {}

/**
 * Reads a whole file as it stands in memory, step by step, and tells how long it has to be.
 *
 * @param {Uint8Array} bytes
 * @returns {number}
 */
function lengthOf(bytes) {
  const view = Buffer.from(bytes);
  let place = 8;
  const take = (/** @type {number} */ count) => {
    if (place + count > view.length) throw new Refused();
    place += count;
    return view.subarray(place - count, place);
  };
  const word = () => take(4).readUInt32LE();
  const long = () => {
    const value = take(8).readBigUInt64LE();
    if (value > 2n ** 42n) throw new Refused();
    return Number(value);
  };
  const name = () => {
    const length = long();
    if (length > 65_535) throw new Refused();
    return take(length).toString();
  };
  const value = (/** @type {number} */ type) => {
    const width = type === STRING ? long() : WIDTHS[type];
    if (width === undefined) throw new Refused();
    return take(width);
  };
  if (view.readUInt32LE(4) < 2) throw new Refused();
  const [tensors, fields] = [long(), long()];
  if (tensors > 1e6 || fields > 1e6) throw new Refused();
  let alignment = 32;
  for (let index = 0; index < fields; index++) {
    const called = name();
    const type = word();
    if (called === "general.alignment") {
      if (type !== 4) throw new Refused();
      alignment = word();
      if (alignment === 0 || (alignment & (alignment - 1)) !== 0) throw new Refused();
    } else if (type === LIST) {
      const inner = word();
      const count = long();
      if (inner !== STRING && WIDTHS[inner] === undefined) throw new Refused();
      for (let each = 0; each < count; each++) value(inner);
    } else value(type);
  }
  let last = 0;
  for (let index = 0; index < tensors; index++) {
    name();
    const dimensions = word();
    if (dimensions > 4) throw new Refused();
    for (let each = 0; each < dimensions; each++) take(8);
    word();
    last = Math.max(last, long() + 1);
  }
  return Math.ceil(place / alignment) * alignment + last;
}

/**
 * Whether a file that begins as GGUF files do is whole.
 *
 * @param {Uint8Array} bytes
 * @returns {"whole" | "refused"}
 */
export function readGgufSimply(bytes) {
  try {
    return lengthOf(bytes) <= bytes.length ? "whole" : "refused";
  } catch (error) {
    if (error instanceof Refused) return "refused";
    throw error;
  }
}

/**
 * How long a whole file has to be at least.
 *
 * @param {Uint8Array} bytes
 */
readGgufSimply.end = lengthOf;
