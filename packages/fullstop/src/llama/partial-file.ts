import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

/** What a server has said about a file. */
export interface FileOrigin {
  /** The size of all of it, in bytes. */
  readonly total: number | undefined;
  readonly sha256: string | undefined;
  /** What the server calls this version of the file: an `ETag`, or else a date. */
  readonly version: string | undefined;
}

/** What there is of a file, and where it comes from. */
export interface HeldPart {
  readonly bytes: number;
  readonly origin: FileOrigin;
}

/**
 * A file that has not arrived in full. Its bytes lie beside the place where it will be, under the name `….part`, and
 * what must be known to go on with it in `….part.json`.
 */
export class PartialFile {
  readonly path: string;
  readonly #finalPath: string;
  readonly #originPath: string;

  constructor(finalPath: string) {
    this.#finalPath = finalPath;
    this.path = `${finalPath}.part`;
    this.#originPath = `${finalPath}.part.json`;
  }

  /** What there is to go on with, if anything. */
  async read(): Promise<HeldPart | undefined> {
    try {
      const [{ size }, json] = await Promise.all([stat(this.path), readFile(this.#originPath, "utf8")]);
      const origin = readOrigin(JSON.parse(json));
      return origin === undefined ? undefined : { bytes: size, origin };
    } catch {
      // Nothing there, or nothing that can be made sense of: then the file is fetched from its beginning.
      return undefined;
    }
  }

  /** Opens the file to write on from a position; at 0 whatever was there is dropped. */
  async openAt(position: number, origin: FileOrigin): Promise<FileHandle> {
    if (position > 0) return open(this.path, "r+");
    // In this order, because bytes must never lie beside the description of another file.
    await rm(this.#originPath, { force: true });
    const handle = await open(this.path, "w");
    await writeFile(this.#originPath, JSON.stringify(origin));
    return handle;
  }

  /** Gives the file its own name. */
  async finish(): Promise<void> {
    await rename(this.path, this.#finalPath);
    await rm(this.#originPath, { force: true });
  }

  async remove(): Promise<void> {
    await Promise.all([rm(this.path, { force: true }), rm(this.#originPath, { force: true })]);
  }
}

function readOrigin(value: unknown): FileOrigin | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return {
    total: "total" in value && typeof value.total === "number" ? value.total : undefined,
    sha256: "sha256" in value && typeof value.sha256 === "string" ? value.sha256 : undefined,
    version: "version" in value && typeof value.version === "string" ? value.version : undefined,
  };
}

/** Whether two answers are about the same bytes. A server that says nothing to tell them by may have changed them. */
export function isSameFile(one: FileOrigin, other: FileOrigin): boolean {
  if (one.total !== other.total) return false;
  if (one.sha256 !== undefined || other.sha256 !== undefined) return one.sha256 === other.sha256;
  return one.version !== undefined && one.version === other.version;
}
