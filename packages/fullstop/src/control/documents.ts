import { invalidArgument } from "../errors.ts";

/** A document as it was when it was read or written. */
export interface StoredDocument {
  readonly value: string;
  /** Another one after every write, also after the document was deleted and written anew. It says nothing else. */
  readonly version: string;
}

/** What has to be there for a change to be made: one version of the document. */
export type DocumentVersion = Pick<StoredDocument, "version">;

/** How a document is written. */
export interface WriteDocumentOptions {
  /** How long it is kept from now on, in whole milliseconds. Every write says so anew. */
  readonly keepMilliseconds: number;
  /**
   * What has to be there for it to be written: this version, `"none"`, or `"any"` for whatever there is, also nothing.
   * Whoever has read the document and changed it passes `found ?? "none"`, so that nobody's change is lost.
   */
  readonly expected: DocumentVersion | "none" | "any";
}

/**
 * Small documents that outlast a process, such as conversations. Each has a name in a folder; both can be any text. A
 * document whose time is over is as if it had never been there. Where a call is rejected because the store cannot be
 * reached, it may have been carried out: reading tells.
 */
export interface DocumentStore {
  readDocument(folder: string, name: string): Promise<StoredDocument | undefined>;
  /** Writes a document and gives it as it is now; undefined if something else was there than was expected. */
  writeDocument(
    folder: string,
    name: string,
    value: string,
    options: WriteDocumentOptions,
  ): Promise<StoredDocument | undefined>;
  /** Deletes a document, or only this version of it. False if it was not there. */
  deleteDocument(folder: string, name: string, expected: DocumentVersion | "any"): Promise<boolean>;
  /** The names in a folder, in no particular order. */
  documentNames(folder: string): Promise<readonly string[]>;
  /** Makes room by forgetting the documents whose time is over. `applyRetention` calls it. */
  deleteExpiredDocuments(): Promise<void>;
}

/** Whether a change may be made, given the version that is there. For those who write stores. */
export function isExpectedVersion(expected: DocumentVersion | "none" | "any", found: string | undefined): boolean {
  if (expected === "any") return true;
  return expected === "none" ? found === undefined : found === expected.version;
}

/**
 * Refuses a value that is no time to keep a document for: the document would be gone at once, or kept for ever, by
 * mistake. For those who write stores.
 */
export function checkKeepMilliseconds(value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return;
  throw invalidArgument("keepMilliseconds", "must be a whole number above 0", value);
}
