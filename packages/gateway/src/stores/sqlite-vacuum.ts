import type { Database } from "libsql";
import { countAt } from "./sqlite-values.ts";

/** How many pages are given back at once, and how long to wait until the next. */
const STEP_PAGES = 256;
const STEP_MILLISECONDS = 50;

/** Which part of the file may be free, as room for what comes. Giving it back and taking it again would cost more. */
const FREE_PART = 0.25;

/**
 * Gives room that was freed in a file back to the disk, a little at a time: `VACUUM` writes the whole file anew, during
 * which nothing else can be written, and `auto_vacuum = FULL` moves pages at every commit.
 */
export class Vacuum {
  readonly #database: Database;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Gives back what is too much. */
  start(): void {
    if (this.#timer !== undefined || !this.#hasTooMuch()) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#step()) this.start();
    }, STEP_MILLISECONDS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Whether there was a way to do it. */
  #step(): boolean {
    try {
      this.#database.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
      return true;
    } catch {
      // On a disk that is full there may be no room to move pages. The next deletion tries again.
      return false;
    }
  }

  #hasTooMuch(): boolean {
    const free = this.#ask("freelist_count");
    return free > STEP_PAGES && free > this.#ask("page_count") * FREE_PART;
  }

  #ask(name: string): number {
    return countAt(this.#database.prepare(`PRAGMA ${name}`).raw().get(), 0);
  }
}
