import { reply } from "./house.ts";
import type { Handle } from "./house.ts";
import { placeOf } from "./sender.ts";

/** `/start` and `/help`: says what the bot does. */
export const onHelp: Handle = async (context, house) => {
  const message = context.msg;
  if (message === undefined) return;
  const words = house.findWords(context.from?.language_code);
  const isAllowed = house.admission.isAllowed(placeOf(message));
  await reply(house, message, isAllowed ? words.welcome : words.notAllowed);
};

/** How long another process may take to end its answer: longer than it takes to find out that it is gone. */
const PATIENCE_MILLISECONDS = 15_000;

/** `/new`: stops what is being answered and forgets the conversation. */
export const onNew: Handle = async (context, house) => {
  const message = context.msg;
  if (message === undefined) return;
  const place = placeOf(message);
  if (!house.admission.isAllowed(place)) return;
  // An answer that ends puts itself into the conversation, so it is forgotten after that, and before the next begins.
  await house.lanes.interject(place, "user", async () => {
    const patience = AbortSignal.timeout(PATIENCE_MILLISECONDS);
    const elsewhere = await house.answers.elsewhere(place);
    await Promise.all(elsewhere.map(({ id }) => house.answers.stop(id, "user")));
    for (const { id } of elsewhere) await house.answers.untilEnded(id, patience);
    await house.conversations.forget(place);
  });
  await reply(house, message, house.findWords(context.from?.language_code).newConversation);
};
