import { statSync } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import path from "node:path";
import Database from "libsql";
import { ConfigError } from "../config/config-error.ts";
import { messageOf } from "../message-of.ts";
import { describeSystemError } from "../system-error.ts";
import { prepareSchema } from "./sqlite-schema.ts";
import { StoreDamage } from "./stored-values.ts";

/** How long to wait for another process that is just opening or closing the file. */
const LOCK_MILLISECONDS = 200;

/**
 * How long the write-ahead log grows before its pages are copied into the file, in pages of 4 KiB. The copying is the
 * only time at which the disk is waited for, 5 to 25 ms as measured, so it is done four times as rarely as by default.
 */
const CHECKPOINT_PAGES = 4_000;

/**
 * Opens a file for this process alone, and makes it and its folder if they are not there. Throws a
 * {@link ConfigError} that says what to do for a file that cannot be used.
 */
export async function openSqliteFile(file: string): Promise<Database.Database> {
  try {
    await createPrivately(file);
    return openAlone(file);
  } catch (error) {
    throw explainFileError(file, error);
  }
}

/**
 * Gives the file back. The library only closes it when all prepared statements have been collected as garbage, which
 * may be never; leaving the log and its exclusive mode behind takes effect now, and leaves a single file.
 */
export function closeSqliteFile(database: Database.Database): void {
  try {
    if (database.inTransaction) database.exec("ROLLBACK");
    if (leaveLog(database)) letGo(database);
  } finally {
    database.close();
  }
}

/** Copies the log into the file and does without it. False where that cannot be done. */
function leaveLog(database: Database.Database): boolean {
  try {
    database.exec("PRAGMA journal_mode = DELETE");
    return true;
  } catch {
    // On a disk that is full the file cannot grow. All that was written is in the log, where the next one to open the
    // file finds it, and a server that was told to end must not fail for that.
    return false;
  }
}

/** Makes a file that nobody else can read: it holds what people have asked. SQLite gives its log the same mode. */
async function createPrivately(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    // Never opens a file that is there: closing it again would drop the locks that this process may have on it.
    const created = await open(file, "wx", 0o600);
    await created.close();
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    if (!(await stat(file)).isDirectory()) return;
    throw new ConfigError(`the store ${JSON.stringify(file)} is a folder: name a file in it`);
  }
}

function openAlone(file: string): Database.Database {
  const database = new Database(file, { timeout: LOCK_MILLISECONDS });
  try {
    // The lock goes with the process, however it ends. One process is all that can have generations running in the
    // file, as those of a process that has gone are ended at opening.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    // It has to be said before anything is written. Room that was freed is given back in steps, see sqlite-vacuum.ts.
    if (statSync(file).size === 0) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    database.exec("BEGIN EXCLUSIVE");
    prepareSchema(database, file);
    database.exec("COMMIT");
    database.exec("PRAGMA journal_mode = WAL");
    // What is written is with the system when a commit returns, so it survives the end of the process at any level.
    // FULL waits for the disk at every commit, which made it 5 times as slow. OFF never waits for it, but then a power
    // cut can damage the file. NORMAL only waits at checkpoints: a power cut loses the last moments and no more.
    database.exec("PRAGMA synchronous = NORMAL");
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return database;
  } catch (error) {
    if (database.inTransaction) {
      database.exec("ROLLBACK");
      letGo(database);
    }
    database.close();
    throw error;
  }
}

/** Gives up the lock, which goes with the first access in the new mode. */
function letGo(database: Database.Database): void {
  database.exec("PRAGMA locking_mode = NORMAL");
  database.pragma("user_version");
}

/** What to tell whoever named a file that cannot be used. */
export function explainFileError(file: string, error: unknown): ConfigError {
  return error instanceof ConfigError ? error : new ConfigError(explain(file, error));
}

function explain(file: string, error: unknown): string {
  const name = JSON.stringify(file);
  if (hasCode(error, "SQLITE_BUSY")) {
    return `the store ${name} is in use by another process: end that one, or give this one a file of its own`;
  }
  if (hasCode(error, "SQLITE_NOTADB")) {
    return `the store ${name} is not a SQLite file: name another file, which is made if it is not there`;
  }
  if (error instanceof StoreDamage || hasCode(error, "SQLITE_CORRUPT") || isMalformed(error)) {
    return `the store ${name} is damaged: move it away, and a new one is made`;
  }
  const words = describeSystemError(error) ?? messageOf(error);
  return `the store ${name} cannot be written: ${words}; name a file in a folder that this user can write to`;
}

/** Whether SQLite itself stumbled over a text that is not the JSON that was written there. */
function isMalformed(error: unknown): boolean {
  return error instanceof Error && error.message.includes("malformed JSON");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
