import type { Database } from "libsql";
import { ConfigError } from "../config/config-error.ts";
import { countAt } from "./sqlite-values.ts";

/** Tells a file of this store from those of other programs: "full", as SQLite's documents ask for. */
const APPLICATION = 0x66_75_6c_6c;

/**
 * Generations are found by `id`, which stands there as JSON, because the library reads texts only up to a NUL. `key`
 * stands for the generation in the other tables. `ending` counts endings; it is null while a generation runs, and its
 * index holds whatever is asked of all that have ended.
 *
 * Events are in `chunk`, many to a row, under how many came before. Those of running generations that do not fill a
 * chunk yet are in `journal`, one row for each commit; what for is said in sqlite-writer.ts.
 */
const GENERATIONS = `
  CREATE TABLE generation (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    events INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    ending INTEGER,
    ended_at INTEGER,
    signal TEXT
  );
  CREATE INDEX generation_by_ending ON generation (ending, id, ended_at, bytes);
  CREATE TABLE chunk (
    generation INTEGER NOT NULL,
    first INTEGER NOT NULL,
    events TEXT NOT NULL,
    PRIMARY KEY (generation, first)
  );
  CREATE TABLE journal (row INTEGER PRIMARY KEY, entries TEXT NOT NULL);
  PRAGMA application_id = ${APPLICATION};
`;

/**
 * Names and values stand there as JSON too. The value is the last column: what is before it is read without the pages
 * that a long one fills.
 */
const DOCUMENTS = `
  CREATE TABLE document (
    key INTEGER PRIMARY KEY,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    version TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (folder, name)
  );
  CREATE INDEX document_by_expiry ON document (expires_at);
`;

/** What each version has added to the one before; a new file gets all of it. */
const STEPS: readonly string[] = [GENERATIONS, DOCUMENTS];

/** Counts the changes to the schema. */
const VERSION = STEPS.length;

/** Makes sure that a file has the tables of this version, within a transaction. */
export function prepareSchema(database: Database, file: string): void {
  const ask = (sql: string): number => countAt(database.prepare(sql).raw().get(), 0);
  const isNew = ask("SELECT count(*) FROM sqlite_schema") === 0;
  if (!isNew && ask("PRAGMA application_id") !== APPLICATION) {
    throw new ConfigError(`the store ${JSON.stringify(file)} is a file of another program: name another file`);
  }
  const version = isNew ? 0 : ask("PRAGMA user_version");
  if (version > VERSION) {
    throw new ConfigError(
      `the store ${JSON.stringify(file)} was made by a newer fullstop (its version is ${version}, this program knows ` +
        `${VERSION}): use that fullstop, or name another file`,
    );
  }
  if (version === VERSION) return;
  for (const step of STEPS.slice(version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${VERSION}`);
}
