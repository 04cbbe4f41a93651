/** What a key is said to be while an input method takes it. */
const TAKEN = 229;

/**
 * Whether a key is for what helps to write a word, such as Japanese or Chinese ones, and not for the page. Safari says
 * that the word is written before it tells of the Enter that has ended it, and marks that key by its number alone.
 */
export function isPartOfWriting(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === TAKEN;
}
