/*
 * A provider that is cut off may have sent half a character. It cannot be kept as it is: UTF-8 has no halves. It counts
 * as the same as the character that stands for what cannot be read.
 */

/** Whether two texts are the same. */
export function isSame(one: string, two: string): boolean {
  return one === two || one.toWellFormed() === two.toWellFormed();
}

/** Whether a text is the beginning of another one. */
export function isBeginningOf(beginning: string, all: string): boolean {
  return all.startsWith(beginning) || isSame(beginning, all.slice(0, beginning.length));
}
