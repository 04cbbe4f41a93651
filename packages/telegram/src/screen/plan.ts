import type { InlineKeyboardButton } from "grammy/types";
import type { FormattedText } from "../text/formatted-text.ts";

/** The rows of buttons under a message; undefined for none. */
export type Buttons = readonly (readonly InlineKeyboardButton[])[] | undefined;

/** A message as it should be. */
export interface WantedMessage {
  readonly content: FormattedText;
  readonly buttons: Buttons;
}

/** A message as it is. */
export interface ShownMessage extends WantedMessage {
  readonly id: number;
  /** Whether somebody has deleted it, so that nothing can be done about it any more. */
  readonly isGone: boolean;
}

/** The one thing to do next, so that what is shown comes closer to what should be. */
export type Operation =
  | { readonly type: "send"; readonly wanted: WantedMessage }
  | { readonly type: "edit"; readonly index: number; readonly wanted: WantedMessage }
  | { readonly type: "remove"; readonly index: number };

/**
 * Plans the next call. It is planned anew after each call, because while one was made, or waited for its turn, what
 * should be seen has moved on; what was wanted in between is never sent.
 */
export function planNext(shown: readonly ShownMessage[], wanted: readonly WantedMessage[]): Operation | undefined {
  for (const [index, message] of wanted.entries()) {
    const there = shown[index];
    if (there === undefined) return { type: "send", wanted: message };
    if (!there.isGone && !isSame(there, message)) return { type: "edit", index, wanted: message };
  }
  const last = shown.length - 1;
  return last >= wanted.length ? { type: "remove", index: last } : undefined;
}

/** Whether Telegram would say that a message is not modified. */
function isSame(one: WantedMessage, other: WantedMessage): boolean {
  return hasSameText(one.content, other.content) && JSON.stringify(one.buttons) === JSON.stringify(other.buttons);
}

/** Whether two texts look the same. */
export function hasSameText(one: FormattedText, other: FormattedText): boolean {
  return one.text === other.text && JSON.stringify(one.entities) === JSON.stringify(other.entities);
}
