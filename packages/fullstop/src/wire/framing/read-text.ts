import type { Sink } from "../../stage.ts";
import { TextDecoding } from "./text-decoding.ts";

/** Feeds bytes to a reader of text, with characters kept whole and a byte order mark taken off, and ends both. */
export function readText(reader: Sink<string>, next: Pick<Sink<unknown>, "end">): Sink<Uint8Array> {
  const decoding = new TextDecoding();
  return {
    push: (bytes) => reader.push(decoding.push(bytes)),
    end() {
      reader.push(decoding.end());
      reader.end();
      next.end();
    },
  };
}
