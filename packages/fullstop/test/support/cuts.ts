/** Cuts a text at the given positions (any order, any number, taken modulo the length). */
export function cutAt(text: string, positions: readonly number[]): string[] {
  const cuts = [...new Set(positions.map((position) => position % (text.length + 1)))].sort((a, b) => a - b);
  const bounds = [0, ...cuts, text.length];
  return bounds.slice(1).map((bound, index) => text.slice(bounds[index], bound));
}

/** Cuts bytes at the given positions. */
export function cutBytesAt(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b);
  const bounds = [0, ...cuts, bytes.length];
  return bounds.slice(1).map((bound, index) => bytes.subarray(bounds[index], bound));
}

/** Every way to cut a text into pieces: 2 to the power of its length less one. */
export function* everyCut(text: string): Generator<string[]> {
  for (let mask = 0; mask < 2 ** Math.max(0, text.length - 1); mask++) {
    const pieces: string[] = [];
    let piece = "";
    for (let index = 0; index < text.length; index++) {
      piece += text.charAt(index);
      if (index === text.length - 1 || ((mask >> index) & 1) === 1) {
        pieces.push(piece);
        piece = "";
      }
    }
    yield pieces;
  }
}
