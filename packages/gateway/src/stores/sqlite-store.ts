import type { Clock, GenerationEvent, TerminationSignal } from "fullstop";
import { Noticeboard, checkKeepMilliseconds } from "fullstop/control";
import type {
  DocumentVersion,
  EndedGeneration,
  GenerationRecord,
  RecordResult,
  StopOrder,
  Store,
  StoredDocument,
  StoredGeneration,
  Unwatch,
  WriteDocumentOptions,
} from "fullstop/control";
import type { Database } from "libsql";
import { SqliteDocuments, placeOf } from "./sqlite-documents.ts";
import { closeSqliteFile, explainFileError, openSqliteFile } from "./sqlite-file.ts";
import { GroupCommit } from "./sqlite-group-commit.ts";
import { endInterrupted } from "./sqlite-recovery.ts";
import { RunningGenerations } from "./sqlite-running.ts";
import { Statements } from "./sqlite-statements.ts";
import { Vacuum } from "./sqlite-vacuum.ts";
import { EventWriter } from "./sqlite-writer.ts";

/** What {@link openSqliteStore} needs to know. */
export interface SqliteStoreOptions {
  /** Where the store is. The file and its folder are made if they are not there, for this user only. */
  readonly file: string;
  /** The time by which replicas count as alive, generations end and documents are kept. Default: that of the machine. */
  readonly clock?: Pick<Clock, "now"> | undefined;
}

/**
 * Opens a store in a file, for this process alone. Whatever was running in it belonged to a process that has gone, and
 * is ended as truncated. What the store has acknowledged survives the end of the process, however it ends; a power cut
 * can take the last moments, but does not damage the file. Rejects with a `ConfigError` that says what to do if the
 * file cannot be used.
 */
export async function openSqliteStore({ file, clock }: SqliteStoreOptions): Promise<Store> {
  const database = await openSqliteFile(file);
  try {
    return createSqliteStore(database, clock);
  } catch (error) {
    closeSqliteFile(database);
    throw explainFileError(file, error);
  }
}

/** Creates a store in a file that was opened for it. */
export function createSqliteStore(database: Database, clock: Pick<Clock, "now"> = Date): Store {
  return new SqliteStore(database, clock);
}

const RECORDED: RecordResult = { state: "recorded" };

class SqliteStore implements Store {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #statements: Statements;
  readonly #documents: SqliteDocuments;
  readonly #running = new RunningGenerations();
  readonly #writer: EventWriter;
  readonly #writes: GroupCommit;
  /** In transactions of their own, so that what does not fit does not keep them from making room. */
  readonly #deletions: GroupCommit;
  readonly #vacuum: Vacuum;
  readonly #leases = new Map<string, number>();
  readonly #changes = new Noticeboard<undefined>();
  readonly #orders = new Noticeboard<string>();
  /** The generations that a transaction adds to. */
  #changed: string[] = [];
  #isClosed = false;

  constructor(database: Database, clock: Pick<Clock, "now">) {
    this.#database = database;
    this.#clock = clock;
    const statements = new Statements(database);
    const writer = new EventWriter(statements, this.#running);
    this.#statements = statements;
    this.#documents = new SqliteDocuments(database, clock);
    this.#writer = writer;
    this.#vacuum = new Vacuum(database);
    this.#writes = new GroupCommit({
      begin: () => statements.begin(),
      commit: () => writer.commit(),
      rollback: () => this.#takeBack(),
      committed: () => this.#tell(),
    });
    this.#deletions = new GroupCommit({
      begin: () => statements.begin(),
      commit: () => statements.commit(),
      rollback: () => statements.rollback(),
      committed: () => this.#vacuum.start(),
    });
    statements.begin();
    endInterrupted(statements, writer, clock.now());
    writer.commit();
  }

  async open(record: GenerationRecord): Promise<void> {
    this.#checkOpen();
    await this.#writes.add(() => this.#writer.open(record));
  }

  async append(id: string, offset: number, events: readonly GenerationEvent[]): Promise<RecordResult> {
    this.#checkOpen();
    // Written as JSON before it is one of a group, so that what has none fails alone.
    const json = JSON.stringify(events);
    return this.#writes.add(() => {
      const generation = this.#running.get(id);
      if (generation === undefined || offset > generation.events) return this.#refuse(id);
      const known = generation.events - offset;
      if (known < events.length) {
        const fresh = known === 0 ? events : events.slice(known);
        this.#writer.append(generation, fresh, known === 0 ? json : JSON.stringify(fresh));
        this.#changed.push(id);
      }
      return RECORDED;
    });
  }

  async finish(id: string, signal: TerminationSignal, offset = 0): Promise<RecordResult> {
    this.#checkOpen();
    const json = JSON.stringify(signal);
    return this.#writes.add(() => {
      const generation = this.#running.get(id);
      if (generation === undefined || offset > generation.events) return this.#refuse(id);
      this.#writer.end(generation, { type: "finish", signal }, json, this.#clock.now());
      this.#changed.push(id);
      return RECORDED;
    });
  }

  async find(id: string): Promise<StoredGeneration | undefined> {
    this.#checkOpen();
    const generation = this.#running.get(id);
    if (generation === undefined) return this.#statements.find(id);
    return { ...generation.record, events: generation.events, signal: undefined };
  }

  async read(id: string, from: number): Promise<readonly GenerationEvent[]> {
    this.#checkOpen();
    const generation = this.#running.get(id);
    if (generation !== undefined && from >= generation.progress.inChunks) {
      return generation.progress.tail.slice(from - generation.progress.inChunks);
    }
    const key = generation?.key ?? this.#statements.keyOf(id);
    return key === undefined ? [] : this.#statements.readChunks(key, from);
  }

  async live(owner?: string): Promise<readonly GenerationRecord[]> {
    this.#checkOpen();
    const all = this.#running.all().map(({ record }) => record);
    const records = owner === undefined ? all : all.filter((record) => record.owner === owner);
    return records.sort((a, b) => a.startedAt - b.startedAt);
  }

  async ended(): Promise<readonly EndedGeneration[]> {
    this.#checkOpen();
    return this.#statements.ended(this.#clock.now());
  }

  async delete(id: string): Promise<boolean> {
    this.#checkOpen();
    return this.#deletions.add(() => this.#statements.deleteGeneration(id));
  }

  async watch(id: string, changed: () => void): Promise<Unwatch> {
    this.#checkOpen();
    return this.#changes.watch(id, changed);
  }

  async order(id: string, order: StopOrder): Promise<"left" | "ended" | "not_found"> {
    this.#checkOpen();
    const generation = this.#running.get(id);
    if (generation === undefined) return this.#statements.keyOf(id) === undefined ? "not_found" : "ended";
    generation.orders.push(order);
    this.#orders.post(generation.record.holder, id);
    return "left";
  }

  async orders(id: string): Promise<readonly StopOrder[]> {
    this.#checkOpen();
    return [...(this.#running.get(id)?.orders ?? [])];
  }

  async watchOrders(holder: string, ordered: (id: string | undefined) => void): Promise<Unwatch> {
    this.#checkOpen();
    return this.#orders.watch(holder, ordered);
  }

  async renew(holder: string, milliseconds: number): Promise<void> {
    this.#checkOpen();
    this.#leases.set(holder, this.#clock.now() + milliseconds);
  }

  async abandoned(): Promise<readonly GenerationRecord[]> {
    const now = this.#clock.now();
    const records = await this.live();
    return records.filter(({ holder }) => (this.#leases.get(holder) ?? 0) <= now);
  }

  async readDocument(folder: string, name: string): Promise<StoredDocument | undefined> {
    this.#checkOpen();
    return this.#documents.read(placeOf(folder, name));
  }

  async writeDocument(
    folder: string,
    name: string,
    value: string,
    options: WriteDocumentOptions,
  ): Promise<StoredDocument | undefined> {
    this.#checkOpen();
    checkKeepMilliseconds(options.keepMilliseconds);
    const [place, json] = [placeOf(folder, name), JSON.stringify(value)];
    const version = await this.#writes.add(() => this.#documents.write(place, json, options));
    return version === undefined ? undefined : { value, version };
  }

  async deleteDocument(folder: string, name: string, expected: DocumentVersion | "any"): Promise<boolean> {
    this.#checkOpen();
    return this.#deletions.add(() => this.#documents.delete(placeOf(folder, name), expected));
  }

  async documentNames(folder: string): Promise<readonly string[]> {
    this.#checkOpen();
    return this.#documents.names(folder);
  }

  async deleteExpiredDocuments(): Promise<void> {
    let isDone = false;
    while (!isDone) {
      this.#checkOpen();
      isDone = await this.#deletions.add(() => this.#documents.deleteExpired());
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#writes.drain();
    this.#deletions.drain();
    this.#vacuum.stop();
    this.#changes.clear();
    this.#orders.clear();
    closeSqliteFile(this.#database);
  }

  #refuse(id: string): RecordResult {
    const generation = this.#running.get(id);
    if (generation !== undefined) return { state: "behind", events: generation.events };
    const signal = this.#statements.find(id)?.signal;
    return signal === undefined ? { state: "behind", events: 0 } : { state: "ended", signal };
  }

  #tell(): void {
    const changed = this.#changed;
    this.#changed = [];
    for (const id of changed) this.#changes.post(id, undefined);
  }

  #takeBack(): void {
    this.#changed = [];
    this.#writer.rollback();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error("The store was closed");
  }
}
