import { integer, number, object, optional, picklist, pipe, transform } from "valibot";
import type { GenericSchema } from "valibot";
import { CHAT_TYPES } from "../place.ts";
import type { Place } from "../place.ts";

const wholeNumber = pipe(number(), integer());

/** A place as it comes from a store. */
export const STORED_PLACE: GenericSchema<unknown, Place> = pipe(
  object({
    chat: wholeNumber,
    chatType: picklist(CHAT_TYPES),
    user: wholeNumber,
    topic: optional(wholeNumber),
  }),
  transform((place) => ({ ...place, topic: place.topic })),
);
