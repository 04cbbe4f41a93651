/** Where the next question is written. */
export const PROMPT_ID = "prompt";

/**
 * Takes whoever has pressed a button that is about to go to where they write, because a focus that is lost begins at
 * the top of the page again. Where fingers do the pointing it would bring up a keyboard that nobody has asked for.
 */
export function focusPrompt(): void {
  if (matchMedia("(pointer: coarse)").matches) return;
  document.querySelector<HTMLElement>(`#${PROMPT_ID}`)?.focus();
}
