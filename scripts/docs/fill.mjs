/**
 * A page with its parts written anew: each stands between two markers, of which the first says who writes it.
 *
 * @param {string} file for the message where there is no such place
 * @param {string} text
 * @param {string} writer
 * @param {Readonly<Record<string, () => string>>} parts by the names of their markers
 * @returns {string}
 */
export function fill(file, text, writer, parts) {
  let filled = text;
  for (const [name, write] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${name}: written by ${writer} -->`, `<!-- end of ${name} -->`];
    const [from, to] = [filled.indexOf(begin), filled.indexOf(end)];
    if (from < 0 || to < from)
      throw new Error(`${file} has no place for ${name}: it needs the lines ${begin} and ${end}`);
    filled = `${filled.slice(0, from + begin.length)}\n\n${write()}\n\n${filled.slice(to)}`;
  }
  return filled;
}
