import type { Clock } from "../clock.ts";
import { checkKeepMilliseconds, isExpectedVersion } from "./documents.ts";
import type { DocumentStore, DocumentVersion, StoredDocument, WriteDocumentOptions } from "./documents.ts";

interface Entry extends StoredDocument {
  /** When its time is over. */
  readonly until: number;
}

/** Documents that last as long as the process. */
export class MemoryDocuments implements DocumentStore {
  readonly #clock: Pick<Clock, "now">;
  readonly #folders = new Map<string, Map<string, Entry>>();
  #writes = 0;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  async readDocument(folder: string, name: string): Promise<StoredDocument | undefined> {
    const entry = this.#find(folder, name);
    return entry && { value: entry.value, version: entry.version };
  }

  async writeDocument(
    folder: string,
    name: string,
    value: string,
    { keepMilliseconds, expected }: WriteDocumentOptions,
  ): Promise<StoredDocument | undefined> {
    checkKeepMilliseconds(keepMilliseconds);
    if (!isExpectedVersion(expected, this.#find(folder, name)?.version)) return undefined;
    this.#writes += 1;
    const version = String(this.#writes);
    const entries = this.#folders.get(folder) ?? new Map<string, Entry>();
    this.#folders.set(folder, entries.set(name, { value, version, until: this.#clock.now() + keepMilliseconds }));
    return { value, version };
  }

  async deleteDocument(folder: string, name: string, expected: DocumentVersion | "any"): Promise<boolean> {
    const entry = this.#find(folder, name);
    if (entry === undefined || !isExpectedVersion(expected, entry.version)) return false;
    this.#forget(folder, name);
    return true;
  }

  async documentNames(folder: string): Promise<readonly string[]> {
    const now = this.#clock.now();
    const entries = [...(this.#folders.get(folder) ?? [])];
    return entries.filter(([, { until }]) => until > now).map(([name]) => name);
  }

  async deleteExpiredDocuments(): Promise<void> {
    const now = this.#clock.now();
    for (const [folder, entries] of this.#folders) {
      for (const [name, { until }] of entries) if (until <= now) this.#forget(folder, name);
    }
  }

  #find(folder: string, name: string): Entry | undefined {
    const entry = this.#folders.get(folder)?.get(name);
    return entry === undefined || entry.until <= this.#clock.now() ? undefined : entry;
  }

  #forget(folder: string, name: string): void {
    const entries = this.#folders.get(folder);
    entries?.delete(name);
    // Folders may be as many as documents: nobody else forgets those that are empty.
    if (entries?.size === 0) this.#folders.delete(folder);
  }
}
