import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** The path of a file that is not there yet, and gone when the test is over. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "fullstop-telegram-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, name);
}
