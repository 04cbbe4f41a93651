import { setImmediate } from "node:timers/promises";
import { createMovingClock } from "../../../fullstop/test/support/moving-clock.ts";
import type { BotApiOptions } from "./bot-api/index.ts";
import { createFedEngine } from "./fed-engine.ts";
import type { Feed, FedEngine } from "./fed-engine.ts";
import type { TestBotOptions } from "./open-bot.ts";
import { openStage } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** A call as the bot has made it. */
export interface MadeCall {
  readonly method: string;
  readonly chat: unknown;
  readonly text: unknown;
  readonly message: unknown;
  /** When, by the bot's clock. */
  readonly at: number;
}

/** A stage on which time passes only when the test says so, at the pace of people unless said otherwise. */
export interface SlowStage extends Stage {
  readonly engine: FedEngine;
  readonly now: () => number;
  /** The calls about answers, but for typing. */
  readonly made: readonly MadeCall[];
  /** Lets time pass. Calls over sockets take none of it. */
  readonly pass: (milliseconds: number) => Promise<void>;
  /** Lets answers grow for some seconds, a word each tenth of a second. */
  readonly stream: (feeds: readonly Feed[], seconds: number) => Promise<void>;
}

const STEP_MILLISECONDS = 100;
/** More turns of the event loop than an event takes from the model to the pace, through the store. */
const TURNS = 20;

/** Opens a stage whose time stands still. */
export async function openSlowStage(
  options: Omit<TestBotOptions, "engine" | "gateway" | "clock"> = {},
  apiOptions: Omit<BotApiOptions, "now"> = {},
): Promise<SlowStage> {
  const clock = createMovingClock();
  const now = (): number => clock.now();
  const engine = createFedEngine();
  const stage = await openStage({ pace: {}, ...options, engine, clock }, { ...apiOptions, now });
  const made: MadeCall[] = [];
  const underWay = new Set<Promise<unknown>>();
  stage.bot.grammy.api.config.use((call, method, payload, signal) => {
    const isPoll = method === "getUpdates";
    const { chat_id: chat, text, message_id: message } = payload as Readonly<Record<string, unknown>>;
    if (!isPoll && method !== "sendChatAction") made.push({ method, chat, text, message, at: now() });
    const answer = call(method, payload, signal);
    if (!isPoll) {
      underWay.add(answer);
      const isOver = (): void => void underWay.delete(answer);
      answer.then(isOver, isOver);
    }
    return answer;
  });

  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn += 1) {
      await setImmediate();
      if (underWay.size === 0) continue;
      await Promise.allSettled(underWay);
      turn = 0;
    }
  };
  const pass = async (milliseconds: number): Promise<void> => {
    await settle();
    for (let left = milliseconds; left > 0; left -= STEP_MILLISECONDS) {
      await clock.advance(Math.min(left, STEP_MILLISECONDS));
      await settle();
    }
    // What is due now may have been asked for by what has just been done.
    await clock.advance(0);
    await settle();
  };
  return {
    ...stage,
    engine,
    now,
    made,
    pass,
    async stream(feeds, seconds) {
      for (let count = 0; count < seconds * 10; count += 1) {
        for (const feed of feeds) feed.say(`word${count} `);
        await pass(100);
      }
    },
  };
}
