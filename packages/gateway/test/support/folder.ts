import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

/** Files of a test, gone when it is done. */
export interface Folder {
  /** Writes a file and gives its path. */
  write(name: string, content: string | Uint8Array): string;
  path(name: string): string;
}

/** Makes a folder for the tests of this file, or, with `onTestFinished`, for the one that runs. */
export function createFolder(whenDone: (remove: () => void) => void = afterAll): Folder {
  const folder = mkdtempSync(path.join(tmpdir(), "fullstop-"));
  whenDone(() => rmSync(folder, { recursive: true }));
  return {
    path: (name) => path.join(folder, name),
    write(name, content) {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    },
  };
}
