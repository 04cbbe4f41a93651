import { randomUUID } from "node:crypto";
import { applyRetention, createTracker, joinReplicas } from "fullstop/control";
import type { Api } from "grammy";
import { Answers } from "./answers/answers.ts";
import { Conversations } from "./answers/conversations.ts";
import { OwnRecords } from "./answers/own-records.ts";
import { Recovery } from "./answers/recovery.ts";
import { SaidAnswers } from "./answers/said-answers.ts";
import { Turns } from "./answers/turns.ts";
import { UnfinishedAnswers } from "./answers/unfinished.ts";
import { Lanes } from "./lanes/lanes.ts";
import { WaitingQuestions } from "./lanes/waiting-questions.ts";
import { BotMetrics } from "./operations/metrics.ts";
import { startRounds } from "./rounds.ts";
import { ChatPaces } from "./screen/chat-pace.ts";
import { Screens } from "./screen/screens.ts";
import type { BotSettings } from "./settings.ts";
import { Admission } from "./updates/admission.ts";
import type { House } from "./updates/house.ts";
import { Replies } from "./updates/replies.ts";
import { RecentMessages } from "./updates/recent-messages.ts";

const RETENTION_ROUND_MILLISECONDS = 60_000;

/** How long to wait before the store is told again what it could not be told. */
const RETRY_MILLISECONDS = 1_000;

/**
 * Which part of a lease passes between two times at which a process says that it lives. That is remembered for a whole
 * one, so that some of them may be late.
 */
const LIFE_PART = 0.25;

/** For how many leases a process may take to finish the answer of another one, before somebody else tries. */
const CLAIM_LEASES = 3;

/** The parts of a bot, put together. */
export interface Assembled {
  readonly house: House;
  /** Waits until all answers are said, which have to be stopped before, and lets go of everything but the store. */
  readonly close: () => Promise<void>;
}

/** The ways to call Telegram: at once or not at all, within some seconds, and as often as it takes. */
export interface Apis {
  readonly hastyApi: Api;
  readonly promptApi: Api;
  readonly patientApi: Api;
}

/** Puts the parts of a bot together. When `closing` fires, they let go of everything without waiting for anybody. */
export async function assemble(
  settings: BotSettings,
  { hastyApi, promptApi, patientApi }: Apis,
  closing: AbortSignal,
): Promise<Assembled> {
  const { bot, model, store, findWords, clock, log, leaseMilliseconds, whenBusy, mergeMilliseconds } = settings;
  const onFailure = (error: unknown): void => log.warn({ err: error }, "the store cannot be reached");
  const metrics = new BotMetrics(settings.registry);
  const conversations = new Conversations(store, bot, settings.conversations, (error) =>
    log.warn({ err: error }, "a conversation cannot be read, and begins anew"),
  );
  const unfinished = new UnfinishedAnswers(store, bot, CLAIM_LEASES * leaseMilliseconds);
  const said = new SaidAnswers({ conversations, unfinished });
  const replica = await joinReplicas({
    store,
    // Not the same after a restart, or else what the one before has left would seem to be in good hands.
    name: `telegram:${bot}:${settings.name}-${randomUUID().slice(0, 8)}`,
    leaseMilliseconds,
    onFailure,
    clock,
  });

  const screens = createScreens(settings, hastyApi, metrics, closing);
  const answers = new Answers({
    bot,
    model,
    store,
    replica,
    tracker: createTracker(),
    conversations,
    unfinished,
    said,
    metrics,
    log,
    clock,
    closing,
    openScreen: ({ place, question, draftId, ...callbacks }) =>
      screens.open({ place, questionId: question.messageId }, draftId, callbacks),
  });
  const waiting = new WaitingQuestions({
    store,
    bot,
    holder: replica.name,
    leaseMilliseconds,
    unfinished,
    findWords,
    log,
  });
  const recovery = new Recovery({
    store,
    unfinished,
    conversations,
    findWords,
    isHere: (id) => answers.isHere(id) || said.has(id),
    forgetQuestions: (place, messageIds) => waiting.forgetAnswered(place, messageIds),
    log,
    clock,
    reopenScreen: (answer) =>
      screens.reopen(answer, answer.messageIds, (description) =>
        log.warn({ generation: answer.id, description }, "an answer that was left cannot be shown"),
      ),
  });
  const lanes = new Lanes({
    answers,
    turns: new Turns(store, bot, leaseMilliseconds, clock),
    waiting,
    listBusy: async () => {
      const [begun, others] = await Promise.all([unfinished.list(), waiting.placeNames()]);
      return [...begun.map(({ placeName }) => placeName), ...others];
    },
    settle: (place) => recovery.settle(place),
    whenBusy,
    mergeMilliseconds,
    log,
    clock,
  });
  const admission = new Admission(
    settings.allow,
    settings.people,
    new RecentMessages({ store, bot, clock, log }),
    clock,
  );

  const stopRounds = startAllRounds(settings, { recovery, said, lanes, waiting }, onFailure);
  return {
    house: {
      promptApi,
      patientApi,
      replies: new Replies(patientApi),
      answers,
      lanes,
      waiting,
      conversations,
      admission,
      metrics,
      findWords,
      log,
    },
    async close() {
      await stopRounds();
      await lanes.idle();
      await recovery.done();
      // The last time at which it can be said: what only this process knows ends with it.
      await said.round().catch(onFailure);
      replica.close();
    },
  };
}

/** Creates what answers are shown on, at the pace of each chat, which none of them keeps to once everything closes. */
function createScreens(
  { pace, drafts, clock, log }: BotSettings,
  api: Api,
  metrics: BotMetrics,
  closing: AbortSignal,
): Screens {
  const paces = new ChatPaces(clock, pace);
  closing.addEventListener("abort", () => paces.release());
  return new Screens({
    api,
    paces,
    drafts,
    clock,
    closing,
    onCall: (method, outcome) => {
      metrics.called(method, outcome.state);
      if (outcome.state === "refused")
        log.warn({ method, description: outcome.description }, "Telegram refused a call");
    },
  });
}

/** The parts of a bot that have something to do again and again. */
interface RecurringParts {
  readonly recovery: Recovery;
  readonly said: SaidAnswers;
  readonly lanes: Lanes;
  readonly waiting: WaitingQuestions;
}

/** Starts all that is done again and again, and gives what ends it. */
function startAllRounds(
  { store, bot, retention, leaseMilliseconds, clock }: BotSettings,
  { recovery, said, lanes, waiting }: RecurringParts,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  const ownRecords = new OwnRecords(store, bot);
  const takeOver = async (): Promise<void> => {
    if (lanes.isClosed) return;
    for (const left of await waiting.round()) lanes.resume(left);
  };
  const stops = [
    { milliseconds: leaseMilliseconds, work: () => recovery.round() },
    { milliseconds: RETRY_MILLISECONDS, work: () => said.round() },
    { milliseconds: leaseMilliseconds * LIFE_PART, work: takeOver },
    { milliseconds: RETENTION_ROUND_MILLISECONDS, work: () => applyRetention(ownRecords, retention) },
  ].map((round) => startRounds({ ...round, onFailure }, clock));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
