import { text, start, finish, createScriptedEngine } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import type { ChatScreen } from "./support/bot-api/index.ts";
import { openStage } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";
import { createTurnClock } from "./support/turn-clock.ts";

const CHATS = 200;
const PIECES = 50;
const PIECE_MILLISECONDS = 50;
const PACE_MILLISECONDS = 300;

const words = (name: string): readonly string[] =>
  Array.from({ length: PIECES }, (_, index) => `${name} says ${index}. `);

interface Made {
  readonly method: string;
  readonly at: number;
  readonly hasStop: boolean;
}

interface Crowd extends Stage {
  readonly chats: readonly ChatScreen[];
  /** What the bot has called, by chat, in its own time. */
  readonly made: ReadonlyMap<number, readonly Made[]>;
}

/** Has two hundred people ask at once, each of whom gets an answer of fifty pieces in two and a half seconds. */
async function openCrowd(): Promise<Crowd> {
  const clock = createTurnClock();
  const engine = createScriptedEngine(({ messages }) => {
    const asked = messages.at(-1)?.content[0];
    const name = asked?.type === "text" ? asked.text : "";
    const pieces = words(name).flatMap((piece): readonly ScriptStep[] => [
      () => new Promise<void>((resolve) => setTimeout(resolve, PIECE_MILLISECONDS)),
      text(piece),
    ]);
    return [start(), ...pieces, finish()];
  });
  const stage = await openStage({
    engine,
    rules: {},
    clock,
    pace: { privateMilliseconds: PACE_MILLISECONDS },
  });
  const made = new Map<number, Made[]>();
  stage.bot.grammy.api.config.use((call, method, payload, signal) => {
    const { chat_id: chat, reply_markup: markup } = payload as {
      readonly chat_id?: number;
      readonly reply_markup?: object;
    };
    if (typeof chat === "number" && method !== "sendChatAction") {
      made.set(chat, [...(made.get(chat) ?? []), { method, at: clock.now(), hasStop: markup !== undefined }]);
    }
    return call(method, payload, signal);
  });
  const people = Array.from({ length: CHATS }, (_, index) => stage.api.person({ firstName: `Person ${index}` }));
  const chats = people.map((person) => stage.api.privateChat(person));
  for (const [index, person] of people.entries()) stage.api.say(chats[index]!, person, person.first_name);
  return { ...stage, chats, made };
}

async function untilAllEnded({ api, chats }: Crowd): Promise<void> {
  const left = new Set(chats);
  await api.until(
    () => {
      for (const chat of left) {
        const last = chat.lastFromBot;
        if (last === undefined || last.buttons.length > 0) return false;
        left.delete(chat);
      }
      return true;
    },
    "all answers have ended",
    90_000,
  );
}

/** Edits of answers that are being written; the first message and the last edit are not made to wait. */
function pacedGaps(made: readonly Made[]): readonly number[] {
  return made
    .slice(1)
    .flatMap(({ at, method, hasStop }, index) =>
      method === "editMessageText" && hasStop ? [at - made[index]!.at] : [],
    );
}

describe(`${CHATS} chats at once`, () => {
  test("hold the pace, and all of them get the whole answer", async () => {
    const crowd = await openCrowd();
    await untilAllEnded(crowd);

    for (const chat of crowd.chats) {
      expect(chat.messages.filter(({ isFromBot }) => isFromBot).map(({ text: said }) => said)).toEqual([
        words(chat.title).join("").trim(),
      ]);
    }
    const all = [...crowd.made.values()];
    expect(Math.min(...all.flatMap(pacedGaps))).toBeGreaterThanOrEqual(PACE_MILLISECONDS);
    expect(crowd.api.calls.every(({ answer }) => typeof answer !== "object" || answer.ok)).toBe(true);
  });

  test("lose no answer when calls are refused and cut off", async () => {
    const crowd = await openCrowd();
    const { api, chats } = crowd;
    const retry = { code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } };
    const harms = [
      (chat: ChatScreen) => api.refuse("editMessageText", retry, { chat, times: 2 }),
      (chat: ChatScreen) => api.refuse("editMessageText", { code: 502, description: "Bad Gateway" }, { chat }),
      (chat: ChatScreen) => api.refuse("sendMessage", retry, { chat }),
      (chat: ChatScreen) => api.drop("editMessageText", { chat, when: "before" }),
      (chat: ChatScreen) => api.drop("editMessageText", { chat, when: "after" }),
      (chat: ChatScreen) => api.drop("sendMessage", { chat }),
    ];
    const faults = chats.map((chat, index) => harms[index % harms.length]!(chat));
    await untilAllEnded(crowd);
    expect(faults.every(({ used }) => used > 0)).toBe(true);
    for (const chat of chats) expect(chat.lastFromBot?.text).toBe(words(chat.title).join("").trim());

    const heard = (chat: ChatScreen) =>
      api.calls.filter(({ parameters, method }) => parameters["chat_id"] === chat.id && method !== "sendChatAction");
    const timesOf = (chat: ChatScreen) => (crowd.made.get(chat.id) ?? []).map(({ at }) => at);
    // An edit whose answer was cut off is made once more, and may be on its way when the screen is as it should be.
    await api.until(() => chats.every((chat) => heard(chat).length === timesOf(chat).length), "all calls have come");
    for (const chat of chats) {
      const calls = heard(chat);
      const times = timesOf(chat);
      // After a refusal nobody calls before it is over.
      const pauses = calls.flatMap(({ answer }, index) =>
        typeof answer === "object" && !answer.ok && answer.error_code === 429
          ? [times[index + 1]! - times[index]!]
          : [],
      );
      for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(1_000);
    }
  });
});
