import type { Message } from "grammy/types";
import type { FoundAnswer } from "../answers/answers.ts";
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
  if (meant === undefined) {
    const state = await stopPlace(place, house);
    const { stopped, nothingToStop, toasts } = words;
    await reply(house, message, { stopped, nothing: nothingToStop, unknown: toasts.unreachable }[state]);
    return;
  }
  const actor = { user: place.user, senderChat: message.sender_chat?.id };
  if (!(await isEntitled(house, actor, meant.place))) {
    await reply(house, message, words.toasts.notYours);
    return;
  }
  const isStopped = await stopAnswer(meant, place, house);
  await reply(house, message, isStopped ? words.stopped : words.nothingToStop);
};

/** The running answer that a message replies to, if it does. */
async function findReplied(message: Message, { answers }: House): Promise<FoundAnswer | undefined> {
  const replied = message.reply_to_message;
  return replied === undefined ? undefined : answers.findMessage(message.chat.id, replied.message_id);
}

/**
 * Stops whatever is answered in a place, by whichever process, and what waits there. Where the store cannot be asked
 * about other processes, what this one writes is stopped all the same.
 */
export async function stopPlace(
  place: Place,
  { lanes, answers, log }: House,
): Promise<"stopped" | "nothing" | "unknown"> {
  const isStoppedHere = lanes.stop(place, "user");
  try {
    const elsewhere = await answers.elsewhere(place);
    const results = await Promise.all(elsewhere.map(({ id }) => answers.stop(id, "user")));
    return isStoppedHere || results.some((result) => result !== "ended") ? "stopped" : "nothing";
  } catch (error) {
    log.warn({ error }, "the store could not be asked about answers of other processes");
    return isStoppedHere ? "stopped" : "unknown";
  }
}

async function stopAnswer(meant: FoundAnswer, place: Place, { answers }: House): Promise<boolean> {
  const reason = meant.place.user === place.user ? "user" : "operator";
  return (await answers.stop(meant.id, reason)) !== "ended";
}
