/** The content of the page, where a focus is kept that has no better place. */
export const MAIN_ID = "main";

/** Takes the focus to the content: what had it has gone or is about to, and it would begin at the top again. */
export function focusMain(): void {
  document.querySelector<HTMLElement>(`#${MAIN_ID}`)?.focus();
}
