import type { Message } from "fullstop";
import { z } from "zod";

const SHAPE = z.object({ role: z.enum(["system", "user", "assistant", "tool"]), content: z.array(z.object()) });

/** A message of a conversation as it comes from a store. The bot has written it, so that its parts are as they were. */
export const STORED_MESSAGE: z.ZodType<Message> = z.custom<Message>(
  (value) => SHAPE.safeParse(value).success,
  "is no message of a conversation",
);
