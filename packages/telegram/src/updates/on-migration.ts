import type { Handle } from "./house.ts";

/** A group has become a supergroup, which has another number: what was said in it goes along. */
export const onMigration: Handle = async (context, { answers, conversations, admission, log }) => {
  const from = context.msg?.chat.id;
  const to = context.msg?.migrate_to_chat_id;
  if (from === undefined || to === undefined) return;
  // Nothing can be shown there any more. What was written of them is in the conversation when they have ended.
  const running = answers.running().filter(({ place }) => place.chat === from);
  for (const answer of running) answer.stop("unreachable");
  await Promise.all(running.map(({ ended }) => ended));
  await conversations.move(from, to);
  if (admission.isListed(from) && !admission.isListed(to)) {
    log.warn({ from, to }, "a group on the list of allowed chats has another number now, which has to be put there");
  }
};
