import type { Place } from "../place.ts";
import type { Handle, House } from "./house.ts";
import { placeOf } from "./sender.ts";

/** `/start` and `/help`: says what the bot does. */
export const onHelp: Handle = async (context, house) => {
  const message = context.msg;
  if (message === undefined) return;
  const words = house.findWords(context.from?.language_code);
  const place = placeOf(message);
  const { admission } = house;
  if (admission.isAllowed(place)) await house.replies.say(message, words.welcome);
  else if (place.chatType === "private" && admission.isNews(place, "notAllowed")) {
    await house.replies.say(message, words.notAllowed);
  }
};

/** How long another process may take to end its answer: longer than it takes to find out that it is gone. */
const PATIENCE_MILLISECONDS = 15_000;

/** `/new`: stops what is being answered and forgets the conversation. */
export const onNew: Handle = async (context, house) => {
  const message = context.msg;
  if (message === undefined) return;
  const place = placeOf(message);
  if (!house.admission.isAllowed(place)) return;
  const words = house.findWords(context.from?.language_code);
  try {
    const { update_id: updateId } = context.update;
    await house.lanes.interject(place, "user", updateId, () => forget(place, message.message_id, updateId, house));
  } catch (error) {
    house.log.warn({ err: error }, "a conversation could not be forgotten");
    await house.replies.say(message, words.toasts.unreachable);
    return;
  }
  await house.replies.say(message, words.newConversation);
};

/** An answer that ends puts itself into the conversation, so it is forgotten after that, and before the next begins. */
async function forget(place: Place, messageId: number, updateId: number, house: House): Promise<void> {
  const { answers, conversations, waiting } = house;
  const patience = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  await waiting.withdraw(place, updateId);
  const elsewhere = await answers.elsewhereBefore(place, updateId);
  await Promise.all(elsewhere.map(({ id }) => answers.stop(id, "user")));
  for (const { id } of elsewhere) await answers.untilEnded(id, patience);
  await conversations.forget(place, messageId);
}
