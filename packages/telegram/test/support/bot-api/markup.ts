import type { InlineKeyboardButton } from "grammy/types";
import { isRecord } from "./parameters.ts";
import type { RawParameters } from "./parameters.ts";
import { badRequest } from "./refusal.ts";

/** The rows of buttons under a message. */
export type Keyboard = readonly (readonly InlineKeyboardButton[])[];

const KINDS = new Set([
  "callback_data",
  "url",
  "disabled",
  "copy_text",
  "web_app",
  "login_url",
  "switch_inline_query",
  "switch_inline_query_current_chat",
  "switch_inline_query_chosen_chat",
]);
const LOOKS = new Set(["text", "style", "icon_custom_emoji_id"]);
const STYLES = new Set<unknown>(["danger", "success", "primary"]);
const MAXIMUM_BUTTONS = 100;

/** Takes an inline keyboard, or refuses it as Telegram does. Other kinds of keyboard are not known here. */
export function acceptKeyboard(markup: RawParameters | undefined): Keyboard {
  if (markup === undefined) return [];
  const rows = markup["inline_keyboard"];
  if (!Array.isArray(rows) || Object.keys(markup).length > 1) {
    throw badRequest(`only inline_keyboard is known as reply_markup here, not ${Object.keys(markup).join(", ")}`);
  }
  const keyboard = rows.map((row: unknown) => {
    if (!Array.isArray(row)) throw badRequest("object expected as reply markup: inline_keyboard must have rows");
    return row.map(acceptButton);
  });
  if (keyboard.flat().length > MAXIMUM_BUTTONS) throw badRequest("REPLY_MARKUP_TOO_LONG");
  return keyboard.filter((row) => row.length > 0);
}

function acceptButton(button: unknown): InlineKeyboardButton {
  if (!isRecord(button)) throw badRequest("can't parse inline keyboard button: expected an object");
  const { text, style, callback_data: data } = button;
  // Telegram leaves out buttons without text and says nothing; here it is seen.
  if (typeof text !== "string" || text.trim() === "") throw badRequest("BUTTON_TEXT_INVALID");
  if (style !== undefined && !STYLES.has(style)) {
    throw badRequest(`unsupported button style ${JSON.stringify(style)}`);
  }
  const kinds = Object.keys(button).filter((field) => !LOOKS.has(field));
  const stranger = kinds.find((field) => !KINDS.has(field));
  if (stranger !== undefined) throw badRequest(`inline keyboard button has no field "${stranger}" here`);
  if (kinds.length === 0) {
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  }
  if (kinds.length > 1) throw badRequest(`inline keyboard button must be of one kind, and has ${kinds.join(", ")}`);
  if (data !== undefined) {
    const bytes = typeof data === "string" ? Buffer.byteLength(data) : 0;
    if (bytes < 1 || bytes > 64) throw badRequest("BUTTON_DATA_INVALID");
  }
  return button as unknown as InlineKeyboardButton;
}
