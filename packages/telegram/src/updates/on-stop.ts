import type { Context } from "grammy";
import type { Message } from "grammy/types";
import type { FoundAnswer } from "../answers/answers.ts";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import { isEntitled } from "./entitled.ts";
import type { Handle, House } from "./house.ts";
import { placeOf } from "./sender.ts";

/** `/stop`: stops the answer in this place, or the one that it replies to, and says so. */
export const onStop: Handle = async (context, house) => {
  const message = context.msg;
  if (message === undefined) return;
  const place = placeOf(message);
  const state = await carryOut(context, message, house).catch((error: unknown): StopState => {
    house.log.warn({ err: error }, "a stop could not be carried out");
    return "unknown";
  });
  // Whoever may not use the bot can have a reason to stop it, such as an administrator, but none to talk to it.
  if (state !== "stopped" && !house.admission.isAllowed(place)) return;
  const words = house.findWords(context.from?.language_code);
  const said: Readonly<Record<StopState, string>> = {
    stopped: words.stopped,
    nothing: words.nothingToStop,
    unknown: words.toasts.unreachable,
    "not theirs": words.toasts.notYours,
  };
  await house.replies.say(message, said[state]);
};

/** What is known of a stop: what it has come to, or that nobody could be asked. */
type StopState = "stopped" | "nothing" | "unknown" | "not theirs";

async function carryOut(context: Context, message: Message, house: House): Promise<StopState> {
  const place = placeOf(message);
  const meant = await findReplied(message, house);
  if (meant === undefined || nameOf(meant.place) === nameOf(place)) {
    return stopPlace(place, context.update.update_id, house);
  }
  const actor = { user: place.user, senderChat: message.sender_chat?.id };
  return (await isEntitled(house, actor, meant.place)) ? stopAnswer(meant, place, house) : "not theirs";
}

/** The running answer that a message replies to, if it does. */
async function findReplied(message: Message, { answers, log }: House): Promise<FoundAnswer | undefined> {
  const replied = message.reply_to_message;
  if (replied === undefined) return undefined;
  try {
    return await answers.findMessage(message.chat.id, replied.message_id);
  } catch (error) {
    // It is none of this process, so that it may be any; but what is written here for whoever wants to stop is known.
    log.warn({ err: error }, "the store could not be asked which answer is meant");
    return undefined;
  }
}

/**
 * Stops whatever was asked in a place before this update, whichever process answers it or has it waiting. Where the
 * store cannot be asked about other processes, what this one writes is stopped all the same.
 */
async function stopPlace(place: Place, updateId: number, house: House): Promise<StopState> {
  const { lanes, answers, waiting, log } = house;
  const isStoppedHere = lanes.stop(place, "user", updateId);
  try {
    // In this order: whoever begins an answer looks after that whether it was withdrawn, so that one of the two is seen.
    const isWithdrawn = await waiting.withdraw(place, updateId);
    const elsewhere = await answers.elsewhereBefore(place, updateId);
    const results = await Promise.all(elsewhere.map(({ id }) => answers.stop(id, "user")));
    return isStoppedHere || isWithdrawn || results.some((result) => result !== "ended") ? "stopped" : "nothing";
  } catch (error) {
    log.warn({ err: error }, "the store could not be asked about answers of other processes");
    return isStoppedHere ? "stopped" : "unknown";
  }
}

async function stopAnswer(meant: FoundAnswer, place: Place, { answers }: House): Promise<StopState> {
  const reason = meant.place.user === place.user ? "user" : "operator";
  return (await answers.stop(meant.id, reason)) === "ended" ? "nothing" : "stopped";
}
