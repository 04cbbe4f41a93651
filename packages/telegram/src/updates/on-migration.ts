import type { Handle } from "./house.ts";

/** How long other processes may take to end their answers: longer than it takes to find out that one is gone. */
const PATIENCE_MILLISECONDS = 15_000;

/**
 * A group has become a supergroup, which has another number: what was said in it goes along. What waits there in any
 * process is forgotten, because it could not be answered there any more.
 */
export const onMigration: Handle = async (context, { answers, waiting, conversations, admission, log }) => {
  const from = context.msg?.chat.id;
  const to = context.msg?.migrate_to_chat_id;
  if (from === undefined || to === undefined) return;
  await waiting.withdrawIn(from, context.update.update_id);
  // Nothing can be shown there any more. What was written of them is in the conversation when they have ended.
  const running = answers.running().filter(({ place }) => place.chat === from);
  for (const answer of running) answer.stop("unreachable");
  const elsewhere = await answers.elsewhereIn(from);
  await Promise.all(elsewhere.map(({ id }) => answers.stop(id, "unreachable")));
  const patience = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  await Promise.all([
    ...running.map(({ ended }) => ended),
    ...elsewhere.map(({ id }) => answers.untilEnded(id, patience)),
  ]);
  await conversations.move(from, to);
  if (admission.isListed(from) && !admission.isListed(to)) {
    log.warn({ from, to }, "a group on the list of allowed chats has another number now, which has to be put there");
  }
};
