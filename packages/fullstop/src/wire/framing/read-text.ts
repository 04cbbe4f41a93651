import type { Sink } from "../../stage.ts";

/** Feeds bytes to a reader of text, with characters kept whole and a byte order mark taken off, and ends both. */
export function readText(reader: Sink<string>, next: Pick<Sink<unknown>, "end">): Sink<Uint8Array> {
  const decoder = new TextDecoder();
  return {
    push: (bytes) => reader.push(decoder.decode(bytes, { stream: true })),
    end() {
      reader.push(decoder.decode());
      reader.end();
      next.end();
    },
  };
}
