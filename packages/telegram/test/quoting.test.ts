import { createMemoryStore } from "fullstop/control";
import { createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { changeStore } from "./support/changed-store.ts";
import { createFedEngine } from "./support/fed-engine.ts";
import { askedOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";

const ANSWER = "**Whales** are _mammals_, and they are the largest animals that there have ever been.";

/** A group with a bot that always says the same. */
async function openGroup() {
  const engine = createScriptedEngine(() => [start(), reasoning("Hm."), text(ANSWER), finish()]);
  const stage = await openStage({ engine });
  const ben = stage.api.person({ firstName: "Ben" });
  const group = stage.api.group({ title: "Whales", admins: [ben], members: [stage.ann] });
  const untilAnswered = (count: number): Promise<unknown> =>
    stage.api.until(() => {
      const answers = group.messages.filter(({ isFromBot, buttons }) => isFromBot && buttons.length === 0);
      return answers.length === count ? answers : undefined;
    }, `there are ${count} answers`);
  return { ...stage, engine, ben, group, untilAnswered };
}

describe("the model is told", () => {
  test("what a message answers that it does not know", async () => {
    const { api, ann, ben, group, engine, untilAnswered } = await openGroup();
    const said = api.say(group, ben, "Ceci n'est pas\nune pipe");

    api.say(group, ann, "@fullstop_bot translate this", { replyTo: said });
    await untilAnswered(1);

    expect(askedOf(engine, 0)).toEqual(["user: > Ceci n'est pas\n> une pipe\n\ntranslate this"]);
  });

  test("of a message that is answered with nothing but its name", async () => {
    const { api, ann, ben, group, engine, untilAnswered } = await openGroup();
    const said = api.say(group, ben, "How old do whales become?");

    api.say(group, ann, "@fullstop_bot", { replyTo: said });
    await untilAnswered(1);

    expect(askedOf(engine, 0)).toEqual(["user: > How old do whales become?"]);
  });

  test("what was answered to somebody else, and not what was answered to whoever asks", async () => {
    const { api, ann, ben, group, engine, untilAnswered } = await openGroup();
    api.say(group, ann, "@fullstop_bot whales");
    await untilAnswered(1);
    const answer = group.lastFromBot!;

    api.say(group, ann, "Really?", { replyTo: answer });
    await untilAnswered(2);
    api.say(group, ben, "Really?", { replyTo: answer });
    await untilAnswered(3);

    expect(askedOf(engine, 1).at(-1)).toBe("user: Really?");
    expect(askedOf(engine, 2)).toEqual([
      "user: > Whales are mammals, and they are the largest animals that there have ever been.\n\nReally?",
    ]);
  });

  test.each(["a", "mammals", "👍", "???"])(
    "that a message answers %j, which is part of what it knows",
    async (said) => {
      const { api, ann, ben, group, engine, untilAnswered } = await openGroup();
      api.say(group, ann, "@fullstop_bot whales");
      await untilAnswered(1);
      const short = api.say(group, ben, said);

      api.say(group, ann, "@fullstop_bot why?", { replyTo: short });
      await untilAnswered(2);

      expect(askedOf(engine, 1).at(-1)).toBe(`user: > ${said}\n\nwhy?`);
    },
  );

  test("nothing of a short message that is known as a whole", async () => {
    const { api, ann, group, engine, untilAnswered } = await openGroup();
    api.say(group, ann, "@fullstop_bot whales");
    await untilAnswered(1);
    const short = api.say(group, ann, "Really?", { replyTo: group.lastFromBot! });
    await untilAnswered(2);

    api.say(group, ann, "@fullstop_bot why?", { replyTo: short });
    await untilAnswered(3);

    expect(askedOf(engine, 2).at(-1)).toBe("user: why?");
  });

  test("which words somebody has marked, also in what it knows", async () => {
    const { api, ann, group, engine, untilAnswered } = await openGroup();
    api.say(group, ann, "@fullstop_bot whales");
    await untilAnswered(1);

    api.say(group, ann, "Why?", { replyTo: group.lastFromBot!, quote: "mammals" });
    await untilAnswered(2);

    expect(askedOf(engine, 1).at(-1)).toBe("user: > mammals\n\nWhy?");
  });

  test("nothing twice where the answer is interrupted that a message answers", async () => {
    const engine = createFedEngine();
    const { api, ann, chat } = await openStage({ engine });
    api.say(chat, ann, "Tell me of whales");
    (await engine.feed(0)).say("Whales are");
    await api.until(() => chat.lastFromBot?.text === "Whales are", "the beginning is seen");

    api.say(chat, ann, "Rather of eels", { replyTo: chat.lastFromBot! });
    const { request } = await engine.feed(1);

    expect(request.messages.at(-1)?.content).toEqual([{ type: "text", text: "Rather of eels" }]);
  });

  test("what a message answers also if the store cannot say whether it is known", async () => {
    const engine = createFedEngine();
    const away = (): Promise<never> => Promise.reject(new Error("away"));
    const { api, ann, chat } = await openStage({
      engine,
      store: changeStore(createMemoryStore(), { readDocument: away }),
    });
    const first = api.say(chat, ann, "/help");
    api.say(chat, ann, "What is that?", { replyTo: first });
    const { request } = await engine.feed(0);

    expect(request.messages.at(-1)?.content).toEqual([{ type: "text", text: "> /help\n\nWhat is that?" }]);
  });
});
