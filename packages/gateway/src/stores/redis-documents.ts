import { randomUUID } from "node:crypto";
import { checkKeepMilliseconds } from "fullstop/control";
import type { DocumentStore, DocumentVersion, StoredDocument, WriteDocumentOptions } from "fullstop/control";
import { DELETE_DOCUMENT, DOCUMENT_NAMES, WRITE_DOCUMENT } from "./redis-document-scripts.ts";
import { decodeName, encodeName } from "./redis-keys.ts";
import type { RedisKeys } from "./redis-keys.ts";
import type { RedisLink } from "./redis-link.ts";
import { parseText } from "./redis-values.ts";

/**
 * The documents in Redis. All of a folder live on one server of a cluster, so that a document and its place in the list
 * change in one step; folders are spread. Redis itself forgets documents, by its own clock.
 */
export class RedisDocuments implements DocumentStore {
  readonly #link: RedisLink;
  readonly #keys: RedisKeys;

  constructor(link: RedisLink, keys: RedisKeys) {
    this.#link = link;
    this.#keys = keys;
  }

  async readDocument(folder: string, name: string): Promise<StoredDocument | undefined> {
    const key = this.#keys.folder(folder).document(name);
    const [version, json] = await this.#link.send<(string | null)[]>(key, ["HMGET", key, "version", "value"]);
    if (typeof version !== "string" || typeof json !== "string") return undefined;
    return { value: parseText(json), version };
  }

  async writeDocument(
    folder: string,
    name: string,
    value: string,
    { keepMilliseconds, expected }: WriteDocumentOptions,
  ): Promise<StoredDocument | undefined> {
    checkKeepMilliseconds(keepMilliseconds);
    const { document, names } = this.#keys.folder(folder);
    const version = randomUUID();
    const isWritten = await this.#link.run<number>(
      WRITE_DOCUMENT,
      [document(name), names],
      // As JSON, because in UTF-8 all halves of surrogate pairs would be the same character.
      [encodeExpected(expected), encodeName(name), version, JSON.stringify(value), String(keepMilliseconds)],
    );
    return isWritten === 1 ? { value, version } : undefined;
  }

  async deleteDocument(folder: string, name: string, expected: DocumentVersion | "any"): Promise<boolean> {
    const { document, names } = this.#keys.folder(folder);
    const isDeleted = await this.#link.run<number>(
      DELETE_DOCUMENT,
      [document(name), names],
      [encodeExpected(expected), encodeName(name)],
    );
    return isDeleted === 1;
  }

  async documentNames(folder: string): Promise<readonly string[]> {
    const names = await this.#link.run<string[]>(DOCUMENT_NAMES, [this.#keys.folder(folder).names], []);
    return names.map(decodeName);
  }

  async deleteExpiredDocuments(): Promise<void> {
    // Redis has done so.
  }
}

/** What is expected, as the scripts compare it with what is there: a version is told from the words by its sign. */
function encodeExpected(expected: WriteDocumentOptions["expected"]): string {
  return typeof expected === "string" ? expected : `=${expected.version}`;
}
