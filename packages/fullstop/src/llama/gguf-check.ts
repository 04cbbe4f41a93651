import { open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { messageOf } from "./message-of.ts";
import { ModelLoadError } from "./model-error.ts";

/** Magic, version, number of tensors, number of fields. */
const START_BYTES = 24;
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
 * Refuses a file that does not begin as GGUF files do, and says what it seems to be instead. Reads a few bytes only;
 * `name` is what the error calls the file.
 */
export async function checkGgufStart(path: string, name: string): Promise<void> {
  const problem = await findProblem(path, name);
  if (problem !== undefined) throw new ModelLoadError("invalid_file", `${name} ${problem}`);
}

async function findProblem(path: string, name: string): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return "is a folder, not a model file";
    // Opening a pipe would wait for somebody to write to it.
    if (!stats.isFile()) return "is no file that can be read from its beginning";
    handle = await open(path, "r");
  } catch (cause) {
    throw new ModelLoadError("invalid_file", `${name} cannot be read: ${messageOf(cause)}`, { cause });
  }
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PEEK_BYTES), 0, PEEK_BYTES, 0);
    return problemOfStart(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
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
  const isNoise = start.readBigUInt64LE(8) > MOST_ENTRIES || start.readBigUInt64LE(16) > MOST_ENTRIES;
  return isNoise ? "has a damaged header" : undefined;
}

/**
 * Refuses a GGUF file whose header cannot be read to its end, or that ends before the last of its tensors begins. That
 * takes a moment with a big vocabulary, and is for files that come from outside: llama.cpp itself looks at the rest.
 */
export async function checkGgufHeader(path: string, size: number, name: string): Promise<void> {
  await checkGgufStart(path, name);
  const { readGgufFileInfo } = await importReader();
  let end: number;
  try {
    const info = await readGgufFileInfo(path, {
      sourceType: "filesystem",
      spliceSplitFiles: false,
      logWarnings: false,
    });
    const starts = (info.tensorInfo ?? []).map(({ fileOffset }) => Number(fileOffset) + 1);
    end = starts.reduce((last, start) => Math.max(last, start), info.infoEndOffset ?? 0);
  } catch (cause) {
    throw new ModelLoadError("invalid_file", `${name} has a damaged header: ${messageOf(cause)}`, { cause });
  }
  // The reader takes what lies behind the end of a file for zeros, so that it does not notice this itself.
  if (end > size) throw new ModelLoadError("invalid_file", `${name} is cut off: it ends after ${size} bytes`);
}

async function importReader() {
  try {
    return await import("node-llama-cpp");
  } catch (cause) {
    throw new ModelLoadError("backend_missing", "Local models need node-llama-cpp: run npm install node-llama-cpp", {
      cause,
    });
  }
}
