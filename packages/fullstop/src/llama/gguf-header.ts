import { BehindTheEnd, HeaderReader } from "./header-reader.ts";
import type { ReadableFile } from "./header-reader.ts";

/*
 * The header of a GGUF file, read for where things are and not for what they say. node-llama-cpp can read it too, but
 * takes what lies behind the end of a file for zeros and believes every count: 50 bytes that speak of 2⁴⁰ entries fill
 * the memory until the process is gone.
 */

/** Magic and version. */
const PREAMBLE_BYTES = 8;
const STRING = 8;
const LIST = 9;
const UINT32 = 4;

/** How many bytes a value has, by the number of its type; strings and lists say so themselves. */
const VALUE_BYTES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 4],
  [5, 4],
  [6, 4],
  [7, 1],
  [10, 8],
  [11, 8],
  [12, 8],
]);

/** As long as a name may be by the description of the format. */
const LONGEST_NAME = 65_535;
/** As many dimensions as llama.cpp knows. */
const MOST_DIMENSIONS = 4;
/** No file is longer than this, so that a larger count is noise, and a smaller one may be true of the whole file. */
const LONGEST_FILE = 2 ** 42;

const ALIGNMENT_FIELD = "general.alignment";
const DEFAULT_ALIGNMENT = 32;

/** Something that no header has. The message says what. */
class Damage extends Error {
  override readonly name = "Damage";
}

/**
 * Finds out what is wrong with the header of a GGUF file of some bytes, if anything: it cannot be read to its end, or
 * the file ends before the last of its tensors begins. It takes as long as the header has bytes, whatever it claims.
 * `windowBytes` is how many are read at a time.
 */
export async function findHeaderProblem(
  handle: ReadableFile,
  size: number,
  windowBytes?: number,
): Promise<string | undefined> {
  try {
    const reader = new HeaderReader(handle, size, PREAMBLE_BYTES, windowBytes);
    const end = await readHeader(reader);
    return end > size ? cutOff(size) : undefined;
  } catch (error) {
    if (error instanceof BehindTheEnd) return cutOff(size);
    if (error instanceof Damage) return `has a damaged header: ${error.message}`;
    throw error;
  }
}

function cutOff(size: number): string {
  return `is cut off: it ends after ${size} bytes`;
}

/** Reads all of a header, and gives the least length that the file must have. */
async function readHeader(reader: HeaderReader): Promise<number> {
  await reader.need(16);
  const tensors = reader.takeUint64();
  const fields = reader.takeUint64();
  let alignment = DEFAULT_ALIGNMENT;
  for (let index = 0; index < fields; index++) alignment = (await readField(reader)) ?? alignment;
  let last = 0;
  for (let index = 0; index < tensors; index++) last = Math.max(last, (await readTensor(reader)) + 1);
  return Math.ceil(reader.place / alignment) * alignment + last;
}

/** Reads a field, and gives its value if that is the alignment of tensors. */
async function readField(reader: HeaderReader): Promise<number | undefined> {
  const name = await readName(reader);
  await reader.need(4);
  const type = reader.takeUint32();
  if (name === ALIGNMENT_FIELD) return readAlignment(reader, type);
  if (type === LIST) await skipList(reader);
  else if (type === STRING) await skipStrings(reader, 1);
  else reader.skip(bytesOf(type));
  return undefined;
}

async function readAlignment(reader: HeaderReader, type: number): Promise<number> {
  await reader.need(4);
  const alignment = type === UINT32 ? reader.takeUint32() : 0;
  if (!Number.isInteger(Math.log2(alignment))) {
    throw new Damage(`${ALIGNMENT_FIELD} must be a power of two`);
  }
  return alignment;
}

async function skipList(reader: HeaderReader): Promise<void> {
  await reader.need(12);
  const type = reader.takeUint32();
  const count = readCount(reader);
  if (type === STRING) await skipStrings(reader, count);
  else reader.skip(count * bytesOf(type));
}

async function skipStrings(reader: HeaderReader, count: number): Promise<void> {
  // Looked at before they are counted through: each has a length at least.
  if (count * 8 > reader.left) throw new BehindTheEnd();
  for (let index = 0; index < count; index++) {
    const wait = reader.need(8);
    if (wait !== undefined) await wait;
    reader.skip(readCount(reader));
  }
}

/** Reads the description of a tensor, and gives how far it is from the first one. */
async function readTensor(reader: HeaderReader): Promise<number> {
  await readName(reader);
  await reader.need(4);
  const dimensions = reader.takeUint32();
  if (dimensions > MOST_DIMENSIONS) throw new Damage(`a tensor has ${dimensions} dimensions`);
  reader.skip(8 * dimensions + 4);
  await reader.need(8);
  return readCount(reader);
}

async function readName(reader: HeaderReader): Promise<string> {
  await reader.need(8);
  const length = readCount(reader);
  if (length > LONGEST_NAME) throw new Damage(`a name has ${length} bytes`);
  await reader.need(length);
  return reader.takeText(length);
}

/** Takes a length, a count or an offset that is at hand. */
function readCount(reader: HeaderReader): number {
  const count = reader.takeUint64();
  if (count > LONGEST_FILE) throw new Damage(`it speaks of ${count} bytes or entries`);
  return count;
}

function bytesOf(type: number): number {
  const bytes = VALUE_BYTES.get(type);
  if (bytes === undefined) throw new Damage(`it has a value of the type ${type}, which is not known`);
  return bytes;
}
