import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { modelPath } from "@fullstop/pip";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkGgufFile } from "../../src/llama/gguf-check.ts";
import { findHeaderProblem } from "../../src/llama/gguf-header.ts";
import type { ReadableFile } from "../../src/llama/header-reader.ts";

const STRING = 8;
const LIST = 9;

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const string = (text: string): Buffer => Buffer.concat([uint64(Buffer.byteLength(text)), Buffer.from(text)]);

const field = (name: string, type: number, ...value: readonly Buffer[]): Buffer =>
  Buffer.concat([string(name), uint32(type), ...value]);

const listOf = (type: number, ...values: readonly Buffer[]): Buffer =>
  Buffer.concat([uint32(type), uint64(values.length), ...values]);

const tensor = (name: string, dimensions: readonly number[], offset: number): Buffer =>
  Buffer.concat([string(name), uint32(dimensions.length), ...dimensions.map(uint64), uint32(0), uint64(offset)]);

function header(fields: readonly Buffer[], tensors: readonly Buffer[] = [], version = 3): Buffer {
  const counts = [uint32(version), uint64(tensors.length), uint64(fields.length)];
  return Buffer.concat([Buffer.from("GGUF"), ...counts, ...fields, ...tensors]);
}

/** A file with a header, and bytes behind it up to where the tensors begin, and further. */
function fileOf(start: Buffer, rest: number, alignment = 32): Buffer {
  return Buffer.concat([start, Buffer.alloc(Math.ceil(start.length / alignment) * alignment - start.length + rest)]);
}

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "fullstop-gguf-"));
  file = path.join(folder, "model.gguf");
});

afterAll(() => rmSync(folder, { recursive: true }));

async function problemOf(bytes: Uint8Array): Promise<string> {
  writeFileSync(file, bytes);
  return checkGgufFile(file, "It").then(
    () => "",
    (error: unknown) => String(error),
  );
}

describe("a file with a header that", () => {
  it.each([
    { what: "has many entries in a list", bytes: header([field("a", LIST, uint32(0), uint64(2 ** 40))]) },
    { what: "has many strings in a list", bytes: header([field("a", LIST, uint32(STRING), uint64(2 ** 40))]) },
    { what: "has a long string", bytes: header([field("a", STRING, uint64(2 ** 36))]) },
    { what: "has many fields", bytes: Buffer.concat([Buffer.from("GGUF"), uint32(3), uint64(0), uint64(1e6)]) },
    { what: "has many tensors", bytes: Buffer.concat([Buffer.from("GGUF"), uint32(3), uint64(1e6), uint64(0)]) },
    { what: "has a tensor far away", bytes: fileOf(header([], [tensor("t", [1], 2 ** 40)]), 64) },
    { what: "ends before its tensors", bytes: fileOf(header([], [tensor("t", [1], 0)]), 0) },
  ])("$what of which the file has none is cut off", async ({ bytes }) => {
    expect(await problemOf(bytes)).toContain(`It is cut off: it ends after ${bytes.length} bytes`);
  });

  it.each([
    { what: "a list of lists", bytes: header([field("a", LIST, listOf(LIST, listOf(0)))]), says: "the type 9" },
    { what: "a type that is not known", bytes: header([field("a", 13, uint64(0))]), says: "the type 13" },
    { what: "a length of noise", bytes: header([field("a", STRING, Buffer.alloc(8, 255))]), says: "it speaks of" },
    { what: "a name of noise", bytes: header([Buffer.concat([uint64(70_000), Buffer.alloc(80_000)])]), says: "a name" },
    { what: "many dimensions", bytes: header([], [tensor("t", [1, 1, 1, 1, 1], 0)]), says: "5 dimensions" },
    { what: "no alignment", bytes: header([field("general.alignment", 4, uint32(0))]), says: "a power of two" },
    { what: "an odd alignment", bytes: header([field("general.alignment", 4, uint32(24))]), says: "a power of two" },
    { what: "a long alignment", bytes: header([field("general.alignment", 10, uint64(32))]), says: "a power of two" },
  ])("has $what is damaged", async ({ bytes, says }) => {
    const problem = await problemOf(bytes);
    expect(problem).toContain("It has a damaged header: ");
    expect(problem).toContain(says);
  });

  it("is of a version that is not read any more says so", async () => {
    expect(await problemOf(header([], [], 1))).toContain("It is of GGUF's version 1");
  });

  it("is whole is taken", async () => {
    expect(await problemOf(readFileSync(modelPath))).toBe("");
    expect(await problemOf(fileOf(header([], [tensor("t", [1], 0)]), 1))).toBe("");
    const aligned = header([field("general.alignment", 4, uint32(8))], [tensor("t", [], 16)]);
    expect(await problemOf(fileOf(aligned, 17, 8))).toBe("");
    expect(await problemOf(fileOf(aligned, 16, 8))).toContain("is cut off");
  });
});

describe("any header", () => {
  const SIZES = [1, 1, 2, 2, 4, 4, 4, 1] as const;
  const name = fc.string({ maxLength: 12 }).filter((text) => text !== "general.alignment");
  const plain = fc
    .tuple(name, fc.integer({ min: 0, max: 7 }))
    .map(([called, type]) => field(called, type, Buffer.alloc(SIZES[type] ?? 0)));
  const text = fc.tuple(name, fc.string()).map(([called, value]) => field(called, STRING, string(value)));
  const texts = fc
    .tuple(name, fc.array(fc.string()))
    .map(([called, values]) => field(called, LIST, listOf(STRING, ...values.map(string))));
  const numbers = fc
    .tuple(name, fc.nat(40))
    .map(([called, count]) => field(called, LIST, uint32(12), uint64(count), Buffer.alloc(8 * count)));
  const tensors = fc
    .array(fc.tuple(name, fc.array(fc.nat(9), { maxLength: 4 }), fc.nat(200)), { minLength: 1, maxLength: 4 })
    .map((all) => ({ all: all.map((each) => tensor(...each)), last: Math.max(...all.map(([, , offset]) => offset)) }));
  const files = fc
    .tuple(fc.array(fc.oneof(plain, text, texts, numbers), { maxLength: 6 }), tensors)
    .map(([fields, { all, last }]) => fileOf(header(fields, all), last + 1));

  const open = (bytes: Uint8Array): ReadableFile => {
    const read = async (buffer: Buffer, offset: number, length: number, position: number) => {
      const part = bytes.subarray(position, position + length);
      buffer.set(part, offset);
      return { buffer, bytesRead: part.length };
    };
    return { read } as ReadableFile;
  };

  it("is read to its end, in whatever pieces, and one byte less is too little", async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 64 }), async (bytes, window) => {
        expect(await findHeaderProblem(open(bytes), bytes.length, window)).toBeUndefined();
        const shorter = bytes.subarray(0, -1);
        expect(await findHeaderProblem(open(shorter), shorter.length, window)).toContain("is cut off");
      }),
    );
  });

  it("that is cut anywhere is cut off", async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.nat(), async (bytes, place) => {
        const cut = bytes.subarray(0, place % bytes.length);
        expect(await problemOf(cut)).toMatch(/is cut off|is empty|is not a GGUF file/u);
      }),
    );
  });
});
