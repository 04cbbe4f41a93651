import type { Message } from "grammy/types";
import type { Handle } from "./house.ts";
import { quotedIn } from "./quoted.ts";
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
    if (isPrivate && admission.isNews(place, "notAllowed")) await house.replies.say(message, words.notAllowed);
    return;
  }
  const said = wordsOf(context, message);
  if (said === undefined && message.text === undefined) {
    // The pictures of an album are messages of their own, and need not be answered one by one.
    const isSaid = isPrivate && hasContent(message) && admission.isNews(place, "onlyText");
    if (isSaid) await house.replies.say(message, words.onlyText);
    return;
  }
  const verdict = await admission.admit(place, await lanes.countElsewhere(place));
  if (verdict !== "admitted") {
    metrics.received("too_many");
    if (verdict === "refused") await house.replies.say(message, words.tooMany);
    return;
  }
  const quoted = await quotedIn(context, message, place, house);
  const text = [quoted, said].filter((part) => part !== undefined).join("\n\n");
  // There is nothing but the bot's name.
  if (text === "") return;
  metrics.received("question");
  const task = { type: "message", message: { role: "user", content: [{ type: "text", text }] } } as const;
  const isTurnedAway = await lanes.isBusyElsewhere(place);
  const isTaken =
    !isTurnedAway &&
    lanes.ask(place, {
      task,
      messageId: message.message_id,
      updateId: context.update.update_id,
      languageCode,
      words,
    });
  if (!isTaken) await house.replies.say(message, words.busy);
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
