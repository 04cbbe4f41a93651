import { isHighSurrogate, isLowSurrogate } from "./surrogates.ts";

/** Where in a text places are that are counted in bytes of UTF-8, counted in UTF-16 code units. */
export function unitsOfBytes(text: string, places: Iterable<number>): ReadonlyMap<number, number> {
  return translate(text, places, "bytes");
}

/** Where in a text places are that are counted in UTF-16 code units, counted in bytes of UTF-8. */
export function bytesOfUnits(text: string, places: Iterable<number>): ReadonlyMap<number, number> {
  return translate(text, places, "units");
}

/** Goes through the text once, however many places there are. A place inside a character is that of its beginning. */
function translate(text: string, places: Iterable<number>, from: "bytes" | "units"): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let bytes = 0;
  let units = 0;
  for (const place of [...new Set(places)].sort((one, other) => one - other)) {
    while (units < text.length) {
      const length = bytesAt(text, units);
      const width = length === 4 ? 2 : 1;
      const next = from === "bytes" ? bytes + length : units + width;
      if (next > place) break;
      bytes += length;
      units += width;
    }
    found.set(place, from === "bytes" ? units : bytes);
  }
  return found;
}

/** How many bytes the character at a place has. Half a character has those of the one that stands in for it. */
function bytesAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1)) ? 4 : 3;
}
