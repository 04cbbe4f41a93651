import type { Message } from "grammy/types";
import { reply } from "./house.ts";
import type { Handle } from "./house.ts";
import { placeOf, wordsOf } from "./sender.ts";

/** Something was written to the bot: it is answered. */
export const onMessage: Handle = async (context, house) => {
  const message = context.msg;
  if (message === undefined) return;
  const { lanes, admission, metrics } = house;
  const place = placeOf(message);
  const languageCode = context.from?.language_code;
  const words = house.findWords(languageCode);
  const isPrivate = place.chatType === "private";
  if (!admission.isAllowed(place)) {
    metrics.received("not_allowed");
    if (isPrivate && admission.isNews(place)) await reply(house, message, words.notAllowed);
    return;
  }
  const text = wordsOf(context, message);
  if (text === undefined) {
    if (isPrivate && hasContent(message)) await reply(house, message, words.onlyText);
    return;
  }
  const isBusy = lanes.isBusy(place);
  const verdict = admission.admit(place, lanes.busyOf(place.user) - (isBusy ? 1 : 0));
  if (verdict !== "admitted") {
    metrics.received("too_many");
    if (verdict === "refused") await reply(house, message, words.tooMany);
    return;
  }
  metrics.received("question");
  const task = { type: "message", message: { role: "user", content: [{ type: "text", text }] } } as const;
  const isTaken = lanes.ask(place, { task, messageId: message.message_id, languageCode, words });
  if (!isTaken) await reply(house, message, words.busy);
};

/** What people send that is no text. Other messages tell of something that has happened, such as a new title. */
const CONTENTS = [
  "animation",
  "audio",
  "contact",
  "document",
  "location",
  "photo",
  "poll",
  "sticker",
  "video",
  "video_note",
  "voice",
] as const satisfies readonly (keyof Message)[];

function hasContent(message: Message): boolean {
  return CONTENTS.some((name) => message[name] !== undefined);
}
