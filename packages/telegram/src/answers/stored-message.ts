import type { Message, UserMessage } from "fullstop";
import { array, custom, is, looseObject, object, picklist } from "valibot";
import type { GenericSchema } from "valibot";

const SHAPE = object({
  role: picklist(["system", "user", "assistant", "tool"]),
  content: array(looseObject({})),
});

/** A message of a conversation as it comes from a store. The bot has written it, so that its parts are as they were. */
export const STORED_MESSAGE: GenericSchema<Message> = custom<Message>(
  (value) => is(SHAPE, value),
  "is no message of a conversation",
);

/** A question as it comes from a store. */
export const STORED_QUESTION: GenericSchema<UserMessage> = custom<UserMessage>(
  (value) => is(STORED_MESSAGE, value) && value.role === "user",
  "is no question of a conversation",
);
