import type { Handle } from "./house.ts";

/** Telegram's own stop button under a draft. There is nobody to answer: the draft becomes a message, and says so. */
export const onDraftStop: Handle = async (context, { answers }) => {
  const stopped = context.stoppedMessageGeneration;
  if (stopped === undefined) return;
  const answer = await answers.findDraft(stopped.chat.id, stopped.draft_id);
  // A press can come after the answer is complete, and then there is nothing to do.
  if (answer !== undefined) await answers.stop(answer.id, "user");
};
