import type { DocumentStore, StoredDocument, WriteDocumentOptions } from "../../control/documents.ts";

/** A store of documents under test, as often as it is opened, and its time. */
export interface DocumentHarness {
  /** Opens the same data once more, as another process would where that is possible. */
  readonly open: () => Promise<DocumentStore>;
  /** Lets time pass by which the store keeps documents. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

/** Something that every store of documents has to do. It throws where the store does not. */
export interface DocumentContractCase {
  readonly name: string;
  readonly run: (harness: DocumentHarness) => Promise<void>;
}

/** Longer than any test. */
const LONG_MILLISECONDS = 3_600_000;

/** A time to keep, and one after which whatever was kept for that is gone. */
const SHORT_MILLISECONDS = 20;
export const AFTER_SHORT_MILLISECONDS = 40;

/** Writes what is to be there until the end of the test, whatever was there before. */
export async function put(store: DocumentStore, folder: string, name: string, value: string): Promise<StoredDocument> {
  const written = await write(store, folder, name, value, "any");
  if (written === undefined) throw new Error("a document was not written although anything was expected");
  return written;
}

/** Writes what is to be there until the end of the test, if what is expected is there. */
export function write(
  store: DocumentStore,
  folder: string,
  name: string,
  value: string,
  expected: WriteDocumentOptions["expected"],
): Promise<StoredDocument | undefined> {
  return store.writeDocument(folder, name, value, { keepMilliseconds: LONG_MILLISECONDS, expected });
}

/** Writes what is to be gone soon. */
export async function putBriefly(store: DocumentStore, folder: string, name: string, value: string): Promise<void> {
  await store.writeDocument(folder, name, value, { keepMilliseconds: SHORT_MILLISECONDS, expected: "any" });
}

/** The names in a folder, in order. */
export async function namesIn(store: DocumentStore, folder: string): Promise<readonly string[]> {
  return [...(await store.documentNames(folder))].sort();
}
