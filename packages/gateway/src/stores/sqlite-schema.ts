import type { Database } from "libsql";
import { ConfigError } from "../config/config-error.ts";
import { countAt } from "./sqlite-values.ts";

/** Tells a file of this store from those of other programs: "full", as SQLite's documents ask for. */
const APPLICATION = 0x66_75_6c_6c;

/** Counts the changes to the schema. A change comes with a step from each version before it. */
const VERSION = 1;

/**
 * Generations are found by `id`, which stands there as JSON, because the library reads texts only up to a NUL. `key`
 * stands for the generation in the other tables. `ending` counts endings; it is null while a generation runs, and its
 * index holds whatever is asked of all that have ended.
 *
 * Events are in `chunk`, many to a row, under how many came before. Those of running generations that do not fill a
 * chunk yet are in `journal`, one row for each commit; what for is said in sqlite-writer.ts.
 */
const SCHEMA = `
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
  PRAGMA user_version = ${VERSION};
`;

/** Makes sure that a file has the tables of this version, within a transaction. */
export function prepareSchema(database: Database, file: string): void {
  const ask = (sql: string): number => countAt(database.prepare(sql).raw().get(), 0);
  const isNew = ask("SELECT count(*) FROM sqlite_schema") === 0;
  if (isNew) {
    database.exec(SCHEMA);
    return;
  }
  if (ask("PRAGMA application_id") !== APPLICATION) {
    throw new ConfigError(`the store ${JSON.stringify(file)} is a file of another program: name another file`);
  }
  const version = ask("PRAGMA user_version");
  if (version > VERSION) {
    throw new ConfigError(
      `the store ${JSON.stringify(file)} was made by a newer fullstop (its version is ${version}, this program knows ` +
        `${VERSION}): use that fullstop, or name another file`,
    );
  }
}
