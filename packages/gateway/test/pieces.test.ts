import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definePieces } from "../src/inspect/pieces.ts";

describe("cutting into pieces", () => {
  it("gives pieces of one size, the last perhaps shorter, with the same bytes", () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 });
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 30 }), (given, size) => {
        const pieces: Uint8Array[] = [];
        let ends = 0;
        const sink = definePieces(size)({ push: (piece) => void pieces.push(piece), end: () => void (ends += 1) });
        for (const chunk of given) sink.push(chunk);
        sink.end();
        expect(ends).toBe(1);
        expect(Buffer.concat(pieces)).toEqual(Buffer.concat(given));
        const last = pieces.pop();
        expect(pieces.every(({ length }) => length === size)).toBe(true);
        expect(last === undefined || (last.length > 0 && last.length <= size)).toBe(true);
      }),
    );
  });
});
