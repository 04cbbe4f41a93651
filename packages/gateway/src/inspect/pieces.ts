import type { Stage } from "fullstop";

/** Cuts bytes anew into pieces of one size, however they come in. The last piece may be shorter. */
export function definePieces(size: number): Stage<Uint8Array, Uint8Array> {
  return (next) => {
    let waiting: Uint8Array[] = [];
    let missing = size;

    function release(): void {
      const [first] = waiting;
      if (first !== undefined) next.push(waiting.length === 1 ? first : Buffer.concat(waiting));
      waiting = [];
      missing = size;
    }

    return {
      push(bytes) {
        for (let from = 0; from < bytes.length;) {
          const part = bytes.subarray(from, from + missing);
          waiting.push(part);
          missing -= part.length;
          from += part.length;
          if (missing === 0) release();
        }
      },
      end() {
        release();
        next.end();
      },
    };
  };
}
