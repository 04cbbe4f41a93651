import fc from "fast-check";
import { describe, it } from "vitest";
import { bytesOfUnits, unitsOfBytes } from "../src/text/utf8-places.ts";
import { same } from "./support/same.ts";

const anyText = fc.string({ unit: fc.constantFrom("a", "ä", "€", "😀", "\ud83d", "\ude00", "\n") });

/** How many bytes a text has, by the encoder of the platform. */
function bytesIn(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The beginnings of all characters, and the end. */
function placesIn(text: string): readonly number[] {
  let place = 0;
  return [0, ...Array.from(text, (character) => (place += character.length))];
}

describe("places in a text", () => {
  it("are the same in units and in bytes, in both directions", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const units = placesIn(text);
        const bytes = bytesOfUnits(text, units);
        for (const place of units) same(bytes.get(place), bytesIn(text.slice(0, place)));
        const back = unitsOfBytes(text, bytes.values());
        for (const place of units) same(back.get(bytes.get(place)!), place);
      }),
      { numRuns: 2000 },
    );
  });

  it("beyond the end are the end, and inside a character its beginning", () => {
    same(
      [...unitsOfBytes("a😀b", [2, 99])],
      [
        [2, 1],
        [99, 4],
      ],
    );
    same(
      [...bytesOfUnits("a😀b", [2, 99])],
      [
        [2, 1],
        [99, 6],
      ],
    );
  });
});
