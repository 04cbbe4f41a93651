import type { Api, Context } from "grammy";
import type { Message } from "grammy/types";
import type { Answers } from "../answers/answers.ts";
import type { Conversations } from "../answers/conversations.ts";
import type { Lanes } from "../lanes/lanes.ts";
import type { WaitingQuestions } from "../lanes/waiting-questions.ts";
import type { BotLog } from "../operations/log.ts";
import type { BotMetrics } from "../operations/metrics.ts";
import type { FindWords } from "../words/languages.ts";
import type { Admission } from "./admission.ts";

/** What whoever handles updates needs. */
export interface House {
  /** Calls that somebody waits for: they are tried again only if that is soon. */
  readonly promptApi: Api;
  /** Calls that are worth another try, which this one makes by itself. */
  readonly patientApi: Api;
  readonly answers: Answers;
  readonly lanes: Lanes;
  readonly waiting: WaitingQuestions;
  readonly conversations: Conversations;
  readonly admission: Admission;
  readonly metrics: BotMetrics;
  readonly findWords: FindWords;
  readonly log: BotLog;
}

/** Handles an update. It may take its time: nobody waits for it, least of all another update. */
export type Handle = (context: Context, house: House) => Promise<void>;

/** Says something short in answer to a message. */
export async function reply({ patientApi }: House, message: Message, text: string): Promise<void> {
  const { chat, message_id: id, message_thread_id: topic, is_topic_message: isTopic } = message;
  await patientApi.sendMessage(chat.id, text, {
    ...(isTopic === true && topic !== undefined && { message_thread_id: topic }),
    // In a group it has to be seen who is meant.
    ...(chat.type !== "private" && { reply_parameters: { message_id: id, allow_sending_without_reply: true } }),
  });
}
