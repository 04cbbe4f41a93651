import type { GenerationEvent } from "fullstop";
import type { EndedGeneration, GenerationRecord, StoredGeneration } from "fullstop/control";
import type { Database, Statement } from "libsql";
import { countAt, entriesAt, eventsAt, recordAt, rowsAt, signalAt, textAt } from "./sqlite-values.ts";
import type { JournalEntry } from "./sqlite-values.ts";

/** How many chunks are read at once. */
const CHUNKS_AT_ONCE = 8;

/** How a generation ended, as it stands in its row. */
export interface EndingColumns {
  readonly key: number;
  readonly events: number;
  readonly bytes: number;
  readonly ending: number;
  readonly endedAt: number;
  /** As JSON. */
  readonly signal: string;
}

/** A generation that has not ended. */
export interface UnfinishedGeneration {
  readonly key: number;
  readonly record: GenerationRecord;
}

/** Whatever is asked of the file. */
export class Statements {
  readonly #database: Database;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #insertGeneration: Statement;
  readonly #endGeneration: Statement;
  readonly #deleteGeneration: Statement;
  readonly #keyOf: Statement;
  readonly #find: Statement;
  readonly #ended: Statement;
  readonly #insertChunk: Statement;
  readonly #deleteChunks: Statement;
  readonly #chunks: Statement;
  readonly #sumChunks: Statement;
  readonly #insertJournal: Statement;
  readonly #trimJournal: Statement;

  constructor(database: Database) {
    this.#database = database;
    const write = (sql: string): Statement => database.prepare(sql);
    const read = (sql: string): Statement => database.prepare(sql).raw();
    this.#begin = write("BEGIN IMMEDIATE");
    this.#commit = write("COMMIT");
    this.#insertGeneration = write("INSERT INTO generation (key, id, record) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    this.#endGeneration = write(
      "UPDATE generation SET events = ?, bytes = ?, ending = ?, ended_at = ?, signal = ? WHERE key = ?",
    );
    this.#deleteGeneration = read("DELETE FROM generation WHERE id = ? AND ending IS NOT NULL RETURNING key");
    this.#keyOf = read("SELECT key FROM generation WHERE id = ?");
    // What has ended has a signal. Without one it is damaged, and no generation that runs.
    this.#find = read(
      "SELECT record, events, CASE WHEN ending IS NULL THEN signal ELSE coalesce(signal, 'null') END FROM generation WHERE id = ?",
    );
    // One row of JSON is read several times as quickly as many rows.
    this.#ended = read(
      `SELECT json_group_array(json_array(json(id), ended_at, bytes)) FROM
        (SELECT id, ended_at, bytes FROM generation WHERE ending IS NOT NULL ORDER BY ending)`,
    );
    this.#insertChunk = write("INSERT INTO chunk (generation, first, events) VALUES (?, ?, ?)");
    this.#deleteChunks = write("DELETE FROM chunk WHERE generation = ?");
    this.#chunks = read(
      `SELECT first, events FROM chunk WHERE generation = ?1 AND first >=
        (SELECT max(first) FROM chunk WHERE generation = ?1 AND first <= ?2) ORDER BY first LIMIT ${CHUNKS_AT_ONCE}`,
    );
    this.#sumChunks = read(
      `SELECT coalesce(sum(octet_length(events)), 0), coalesce((SELECT first + json_array_length(events) FROM chunk
        WHERE generation = ?1 ORDER BY first DESC LIMIT 1), 0) FROM chunk WHERE generation = ?1`,
    );
    this.#insertJournal = write("INSERT INTO journal (row, entries) VALUES (?, ?)");
    this.#trimJournal = write("DELETE FROM journal WHERE row < ?");
  }

  begin(): void {
    this.#begin.run();
  }

  commit(): void {
    this.#commit.run();
  }

  /** Takes back a transaction; where it failed for lack of room, SQLite has done so already. */
  rollback(): void {
    if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
  }

  /** Whether there was none of that id. */
  insertGeneration(key: number, record: GenerationRecord): boolean {
    return this.#insertGeneration.run([key, JSON.stringify(record.id), JSON.stringify(record)]).changes > 0;
  }

  endGeneration({ key, events, bytes, ending, endedAt, signal }: EndingColumns): void {
    this.#endGeneration.run([events, bytes, ending, endedAt, signal, key]);
  }

  /** Whether there was one that has ended. */
  deleteGeneration(id: string): boolean {
    const row = this.#deleteGeneration.get([JSON.stringify(id)]);
    if (row === undefined) return false;
    this.#deleteChunks.run([countAt(row, 0)]);
    return true;
  }

  keyOf(id: string): number | undefined {
    const row = this.#keyOf.get([JSON.stringify(id)]);
    return row === undefined ? undefined : countAt(row, 0);
  }

  find(id: string): StoredGeneration | undefined {
    const row = this.#find.get([JSON.stringify(id)]);
    return row === undefined ? undefined : { ...recordAt(row, 0), events: countAt(row, 1), signal: signalAt(row, 2) };
  }

  ended(now: number): readonly EndedGeneration[] {
    return rowsAt(this.#ended.get(), 0).map((row) => {
      const endedAt = countAt(row, 1);
      return { id: textAt(row, 0), endedAt, ageMilliseconds: now - endedAt, bytes: countAt(row, 2) };
    });
  }

  insertChunk(key: number, first: number, events: readonly GenerationEvent[]): void {
    this.#insertChunk.run([key, first, JSON.stringify(events)]);
  }

  /** The events from an offset on, as far as they are in the next few chunks. */
  readChunks(key: number, from: number): readonly GenerationEvent[] {
    const rows = this.#chunks.all([key, from]);
    const skipped = rows.length === 0 ? 0 : from - countAt(rows[0], 0);
    return rows.flatMap((row) => eventsAt(row, 1)).slice(skipped);
  }

  /** Writes down entries that are JSON already. */
  insertJournal(row: number, entries: readonly string[]): void {
    this.#insertJournal.run([row, `[${entries.join(",")}]`]);
  }

  /** Forgets the rows before one. */
  trimJournal(row: number): void {
    this.#trimJournal.run([row]);
  }

  // What follows is asked once, at opening.

  /** The highest key and the highest number of an ending. */
  counts(): { readonly key: number; readonly ending: number } {
    const row = this.#ask("SELECT coalesce(max(key), 0), coalesce(max(ending), 0) FROM generation").get();
    return { key: countAt(row, 0), ending: countAt(row, 1) };
  }

  unfinished(): readonly UnfinishedGeneration[] {
    const rows = this.#ask("SELECT key, record FROM generation WHERE ending IS NULL").all();
    return rows.map((row) => ({ key: countAt(row, 0), record: recordAt(row, 1) }));
  }

  /** How much of a generation is in chunks. Only the last one is read. */
  chunksOf(key: number): { readonly events: number; readonly bytes: number } {
    const row = this.#sumChunks.get([key]);
    return { bytes: countAt(row, 0), events: countAt(row, 1) };
  }

  /** Everything in the journal, in order. */
  *journal(): Generator<JournalEntry, void, undefined> {
    const rows = this.#ask("SELECT row FROM journal ORDER BY row").all();
    const entries = this.#ask("SELECT entries FROM journal WHERE row = ?");
    for (const row of rows) yield* entriesAt(entries.get([countAt(row, 0)]), 0);
  }

  #ask(sql: string): Statement {
    return this.#database.prepare(sql).raw();
  }
}
