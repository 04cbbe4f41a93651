import type { GenerationRecord } from "fullstop/control";
import { CHAT_TYPES } from "../place.ts";
import type { Place } from "../place.ts";

/** What is recorded with an answer, so that any process can say where it belongs and who may stop it. */
export interface AnswerLabels {
  readonly place: Place;
  /** The message that is answered. */
  readonly messageId: number;
  /** The update by which it was asked for. Whatever somebody does later has a higher number. */
  readonly updateId: number;
  /** The draft that it is shown in, where it is. */
  readonly draftId: number | undefined;
}

/** Labels as a record holds them. */
export function encodeLabels({ place, messageId, updateId, draftId }: AnswerLabels): Readonly<Record<string, string>> {
  return {
    chat: String(place.chat),
    chat_type: place.chatType,
    user: String(place.user),
    ...(place.topic !== undefined && { topic: String(place.topic) }),
    message: String(messageId),
    update: String(updateId),
    ...(draftId !== undefined && { draft: String(draftId) }),
  };
}

/** The labels of a record; undefined if it is not that of a bot's answer. */
export function decodeLabels({ labels = {} }: Pick<GenerationRecord, "labels">): AnswerLabels | undefined {
  const chat = readNumber(labels["chat"]);
  const user = readNumber(labels["user"]);
  const chatType = CHAT_TYPES.find((type) => type === labels["chat_type"]);
  if (chat === undefined || user === undefined || chatType === undefined) return undefined;
  return {
    place: { chat, chatType, user, topic: readNumber(labels["topic"]) },
    messageId: readNumber(labels["message"]) ?? 0,
    updateId: readNumber(labels["update"]) ?? 0,
    draftId: readNumber(labels["draft"]),
  };
}

/** Only what is written above is read: to `Number` also no text at all is a number, and then somebody's. */
function readNumber(text: string | undefined): number | undefined {
  const number = text !== undefined && /^(?:0|-?[1-9]\d*)$/u.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
