import type { Api, Context } from "grammy";
import type { Answers } from "../answers/answers.ts";
import type { Conversations } from "../answers/conversations.ts";
import type { Lanes } from "../lanes/lanes.ts";
import type { WaitingQuestions } from "../lanes/waiting-questions.ts";
import type { BotLog } from "../operations/log.ts";
import type { BotMetrics } from "../operations/metrics.ts";
import type { FindWords } from "../words/languages.ts";
import type { Admission } from "./admission.ts";
import type { Replies } from "./replies.ts";

/** What whoever handles updates needs. */
export interface House {
  /** Calls that somebody waits for: they are tried again only if that is soon. */
  readonly promptApi: Api;
  /** Calls that are worth another try, which this one makes by itself. */
  readonly patientApi: Api;
  /** What is said in answer to messages, beside the answers of the model. */
  readonly replies: Replies;
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
