import { randomUUID } from "node:crypto";
import type { Clock } from "fullstop";
import { isExpectedVersion } from "fullstop/control";
import type { DocumentVersion, StoredDocument, WriteDocumentOptions } from "fullstop/control";
import type { Database, Statement } from "libsql";
import { rowsAt, stringAt, textAt } from "./sqlite-values.ts";

/** How many documents are forgotten in one step, so that streams do not stand still for many of them. */
const FORGOTTEN_AT_ONCE = 100;

/** Where a document is, as it stands in its row. */
export interface DocumentPlace {
  readonly folder: string;
  readonly name: string;
}

/** The place of a document. Names are written as JSON, because the library reads texts only up to a NUL. */
export function placeOf(folder: string, name: string): DocumentPlace {
  return { folder: JSON.stringify(folder), name: JSON.stringify(name) };
}

/** The documents in a file. Changes have to be made within a transaction. */
export class SqliteDocuments {
  readonly #clock: Pick<Clock, "now">;
  readonly #read: Statement;
  readonly #versionOf: Statement;
  readonly #write: Statement;
  readonly #delete: Statement;
  readonly #names: Statement;
  readonly #deleteExpired: Statement;

  constructor(database: Database, clock: Pick<Clock, "now">) {
    this.#clock = clock;
    const read = (sql: string): Statement => database.prepare(sql).raw();
    const there = "folder = ? AND name = ? AND expires_at > ?";
    this.#read = read(`SELECT version, value FROM document WHERE ${there}`);
    this.#versionOf = read(`SELECT version FROM document WHERE ${there}`);
    this.#write = database.prepare(
      `INSERT INTO document (folder, name, expires_at, version, value) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at, version = excluded.version, value = excluded.value`,
    );
    this.#delete = database.prepare("DELETE FROM document WHERE folder = ? AND name = ?");
    this.#names = read(
      "SELECT json_group_array(json_array(json(name))) FROM document WHERE folder = ? AND expires_at > ?",
    );
    this.#deleteExpired = database.prepare(
      `DELETE FROM document WHERE key IN
        (SELECT key FROM document WHERE expires_at <= ? ORDER BY expires_at LIMIT ${FORGOTTEN_AT_ONCE})`,
    );
  }

  read({ folder, name }: DocumentPlace): StoredDocument | undefined {
    const row: unknown = this.#read.get([folder, name, this.#clock.now()]);
    return row === undefined ? undefined : { version: textAt(row, 0), value: stringAt(row, 1) };
  }

  /** Writes a value, given as JSON, and gives its version; undefined if something else was there than was expected. */
  write(place: DocumentPlace, json: string, { keepMilliseconds, expected }: WriteDocumentOptions): string | undefined {
    if (!isExpectedVersion(expected, this.#find(place))) return undefined;
    const until = Math.min(this.#clock.now() + keepMilliseconds, Number.MAX_SAFE_INTEGER);
    const version = randomUUID();
    this.#write.run([place.folder, place.name, until, version, json]);
    return version;
  }

  delete(place: DocumentPlace, expected: DocumentVersion | "any"): boolean {
    const found = this.#find(place);
    if (found === undefined || !isExpectedVersion(expected, found)) return false;
    this.#delete.run([place.folder, place.name]);
    return true;
  }

  names(folder: string): readonly string[] {
    const row: unknown = this.#names.get([JSON.stringify(folder), this.#clock.now()]);
    return rowsAt(row, 0).map((each) => textAt(each, 0));
  }

  /** Forgets some whose time is over. False if there may be more. */
  deleteExpired(): boolean {
    return this.#deleteExpired.run([this.#clock.now()]).changes < FORGOTTEN_AT_ONCE;
  }

  #find({ folder, name }: DocumentPlace): string | undefined {
    const row: unknown = this.#versionOf.get([folder, name, this.#clock.now()]);
    return row === undefined ? undefined : textAt(row, 0);
  }
}
