import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

/** A file of the page, as it is sent. */
export interface PageFile {
  /** Where it is asked for, such as `/assets/index-1a2b.js`. */
  readonly address: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** Undefined where compressing saves nothing. */
  readonly zipped: Buffer | undefined;
  readonly tag: string;
  /** Whether its name changes with its content, so that it can be kept for ever. */
  readonly isLasting: boolean;
}

/** Where the build of the page leaves it: beside the compiled gateway, so that it is installed with it. */
const PAGE_FOLDER: string = path.resolve(import.meta.dirname, "../../dist/console");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads the files of the page into memory: they are few and small. None if it was not built. */
export function readPageFiles(folder: string = PAGE_FOLDER): readonly PageFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return names.flatMap((name) => {
    const type = TYPES[path.extname(name)];
    return type === undefined ? [] : [readPageFile(folder, name, type)];
  });
}

function readPageFile(folder: string, name: string, type: string): PageFile {
  const bytes = readFileSync(path.join(folder, name));
  const zipped = gzipSync(bytes);
  const address = `/${name.split(path.sep).join("/")}`;
  return {
    address: address === "/index.html" ? "/" : address,
    type,
    bytes,
    zipped: zipped.length < bytes.length ? zipped : undefined,
    tag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    isLasting: address.startsWith("/assets/"),
  };
}
