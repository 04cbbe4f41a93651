import type { Message } from "grammy/types";
import type { FoundAnswer } from "../answers/answers.ts";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import { isEntitled } from "./entitled.ts";
import { reply } from "./house.ts";
import type { Handle, House } from "./house.ts";
import { placeOf } from "./sender.ts";

/** `/stop`: stops the answer in this place, or the one that it replies to, and says so. */
export const onStop: Handle = async (context, house) => {
  const message = context.msg;
  if (message === undefined) return;
  const place = placeOf(message);
  if (!house.admission.isAllowed(place)) return;
  const words = house.findWords(context.from?.language_code);
  const meant = await findReplied(message, house);
  const said = { stopped: words.stopped, nothing: words.nothingToStop, unknown: words.toasts.unreachable };
  if (meant === undefined) {
    await reply(house, message, said[await stopPlace(place, house)]);
    return;
  }
  const actor = { user: place.user, senderChat: message.sender_chat?.id };
  if (!(await isEntitled(house, actor, meant.place))) {
    await reply(house, message, words.toasts.notYours);
    return;
  }
  const isOwn = nameOf(meant.place) === nameOf(place);
  await reply(house, message, said[isOwn ? await stopPlace(place, house) : await stopAnswer(meant, place, house)]);
};

/** What is known of a stop: what it has come to, or that nobody could be asked. */
type StopState = "stopped" | "nothing" | "unknown";

/** The running answer that a message replies to, if it does. */
async function findReplied(message: Message, { answers }: House): Promise<FoundAnswer | undefined> {
  const replied = message.reply_to_message;
  return replied === undefined ? undefined : answers.findMessage(message.chat.id, replied.message_id);
}

/**
 * Stops whatever is answered in a place, by whichever process, and what waits there. Where the store cannot be asked
 * about other processes, what this one writes is stopped all the same.
 */
async function stopPlace(place: Place, { lanes, answers, log }: House): Promise<StopState> {
  const isStoppedHere = lanes.stop(place, "user");
  try {
    const elsewhere = await answers.elsewhere(place);
    const results = await Promise.all(elsewhere.map(({ id }) => answers.stop(id, "user")));
    return isStoppedHere || results.some((result) => result !== "ended") ? "stopped" : "nothing";
  } catch (error) {
    log.warn({ err: error }, "the store could not be asked about answers of other processes");
    return isStoppedHere ? "stopped" : "unknown";
  }
}

async function stopAnswer(meant: FoundAnswer, place: Place, { answers }: House): Promise<StopState> {
  const reason = meant.place.user === place.user ? "user" : "operator";
  return (await answers.stop(meant.id, reason)) === "ended" ? "nothing" : "stopped";
}
