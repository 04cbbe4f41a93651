import { open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { findHeaderProblem } from "./gguf-header.ts";
import { messageOf } from "./message-of.ts";
import { ModelLoadError } from "./model-error.ts";

/** Magic, version, number of tensors, number of fields. */
const START_BYTES = 24;
/** Before it, counts were shorter. */
const OLDEST_VERSION = 2;
/** Enough to tell what a file is that is no model. */
const PEEK_BYTES = 256;
/** Far more than any model has. With more, the bytes are noise, and reading on would take for ever. */
const MOST_ENTRIES = 1_000_000n;

/** Files that are often found where a model should be, by how they begin. */
const LOOKALIKES: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\s*<(?:!doctype|html|head)/iu, "looks like an HTML page, such as a page to sign in or of an error"],
  [/^version https:\/\/git-lfs/u, "is a Git LFS pointer, not the file it stands for: fetch it with git lfs pull"],
  [/^\s*<\?xml/iu, "looks like XML, such as a server's error message"],
  [/^\s*[{[]/u, "looks like JSON, such as a server's error message"],
  [/^PK/u, "is a ZIP archive, which PyTorch's own files are too: only GGUF files can be run"],
  [/^.{8}\{"/su, "looks like a safetensors file: only GGUF files can be run"],
];

/**
 * Refuses a file that does not begin as GGUF files do, and says what it seems to be instead; one whose header cannot be
 * read to its end; and one that ends before the last of its tensors begins. llama.cpp itself looks at the rest. `name` is
 * what the error calls the file.
 */
export async function checkGgufFile(path: string, name: string): Promise<void> {
  const problem = await findProblem(path, name);
  if (problem !== undefined) throw new ModelLoadError("invalid_file", `${name} ${problem}`);
}

async function findProblem(path: string, name: string): Promise<string | undefined> {
  let handle: FileHandle | undefined;
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return "is a folder, not a model file";
    // Opening a pipe would wait for somebody to write to it.
    if (!stats.isFile()) return "is no file that can be read from its beginning";
    handle = await open(path, "r");
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PEEK_BYTES), 0, PEEK_BYTES, 0);
    return problemOfStart(buffer.subarray(0, bytesRead)) ?? (await findHeaderProblem(handle, stats.size));
  } catch (cause) {
    throw new ModelLoadError("invalid_file", `${name} cannot be read: ${messageOf(cause)}`, { cause });
  } finally {
    await handle?.close();
  }
}

function problemOfStart(start: Buffer): string | undefined {
  if (start.length === 0) return "is empty";
  const text = start.toString("latin1");
  if (!text.startsWith("GGUF")) {
    const lookalike = LOOKALIKES.find(([pattern]) => pattern.test(text));
    return lookalike?.[1] ?? `is not a GGUF file: it begins with ${JSON.stringify(text.slice(0, 4))}`;
  }
  if (start.length < START_BYTES) return "is cut off within its header";
  const version = start.readUInt32LE(4);
  if (version < OLDEST_VERSION) return `is of GGUF's version ${version}, which llama.cpp does not read any more`;
  const isNoise = start.readBigUInt64LE(8) > MOST_ENTRIES || start.readBigUInt64LE(16) > MOST_ENTRIES;
  return isNoise ? "has a damaged header" : undefined;
}
