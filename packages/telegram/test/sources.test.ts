import type { CitationEvent } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import { createScriptedEngine, finish, start, text } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { createFedEngine } from "./support/fed-engine.ts";
import { eventsOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";

const cite = (url: string, title: string, from = 0, end = 6): CitationEvent => ({
  type: "citation",
  start: from,
  end,
  url,
  title,
  format: "anthropic-messages",
});
const A = cite("https://a.example/page?x=1&y=<2>", "A & <b>*B*</b>");
const B = cite("https://b.example/", "B", 7, 13);
const TRICK = cite("javascript:alert(1)", "Trick");

describe("an answer that quotes something", () => {
  test("ends with links to its sources, each once, when it is whole", async () => {
    const engine = createFedEngine();
    const store = createMemoryStore();
    const { api, chat, say, untilLast } = await openStage({ engine, store });

    say("What do cranes do?");
    const feed = await engine.feed(0);
    feed.push(text("Cranes dance."), A, TRICK, B, A);
    await untilLast((said) => said === "Cranes dance.", "the text is seen, and no sources while more may come");
    feed.end();
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "it has ended");

    expect(chat.lastFromBot?.text).toBe("Cranes dance.\n\nSources:\n1. A & <b>*B*</b>\n2. B");
    expect(chat.lastFromBot?.entities).toEqual([
      { type: "text_link", offset: 27, length: 14, url: "https://a.example/page?x=1&y=%3C2%3E" },
      { type: "text_link", offset: 45, length: 1, url: "https://b.example/" },
    ]);
    expect((await eventsOf(store)).filter(({ type }) => type === "citation")).toEqual([A, TRICK, B, A]);
  });

  test("shows the sources it has when it is stopped, under the word about that", async () => {
    const engine = createFedEngine();
    const { api, ann, chat, say, untilLast } = await openStage({ engine });

    say("What do cranes do?");
    const feed = await engine.feed(0);
    feed.push(text("Cranes"), A, B, text(" d"));
    await untilLast((said) => said === "Cranes d", "the beginning is seen");
    await api.press(chat, ann, "⏹ Stop").answered;
    await untilLast((said) => said.includes("[interrupted]"), "it is marked");

    // What the other source is for has never come, but its first letter.
    expect(chat.lastFromBot?.text).toBe("Cranes d\n\n[interrupted]\n\nSources:\n1. A & <b>*B*</b>\n2. B");
    expect(chat.lastFromBot?.buttons).toEqual([["▶ Continue", "🔄 Regenerate"]]);
  });

  test("has the sources of its rest under its rest", async () => {
    const beginning = "Cranes dance in the cold mornings of early spring";
    const engine = createFedEngine();
    const { api, ann, chat, say, untilLast } = await openStage({ engine });

    say("What do cranes do?");
    const first = await engine.feed(0);
    first.push(text(beginning), A);
    await untilLast((said) => said === beginning, "the beginning is seen");
    await api.press(chat, ann, "⏹ Stop").answered;
    await untilLast((said) => said.includes("[interrupted]"), "it is marked");
    await api.press(chat, ann, "▶ Continue").answered;
    const rest = await engine.feed(1);
    // It says again what is there, and that is left out.
    rest.push(text(`${beginning} and sleep.`), cite("https://b.example/", "B", beginning.length, 60), finish());
    await untilLast((said) => said.includes("Sources") && !said.includes("[interrupted]"), "the rest is seen");

    expect(chat.lastFromBot?.text).toBe("and sleep.\n\nSources:\n1. B");
  });

  test("names them in the language of whoever asks", async () => {
    const engine = createScriptedEngine([[start(), text("Kraniche tanzen."), B, finish()]]);
    const { api } = await openStage({ engine });
    const eva = api.person({ firstName: "Eva", languageCode: "de" });
    const chat = api.privateChat(eva);

    api.say(chat, eva, "Was tun Kraniche?");
    await api.until(() => chat.lastFromBot?.text.includes("Quellen"), "the sources are seen");

    expect(chat.lastFromBot?.text).toBe("Kraniche tanzen.\n\nQuellen:\n1. B");
  });

  test("goes on in a message of its own for them where its last one is full", async () => {
    const whole = "word ".repeat(817).trimEnd();
    const engine = createScriptedEngine([[start(), text(whole), A, finish()]]);
    const { chat, say, untilLast } = await openStage({ engine, rules: {} });

    say("Write a lot");
    await untilLast((said) => said.startsWith("Sources"), "the sources are seen");

    expect(chat.messages.map((message) => message.text)).toEqual(["Write a lot", whole, "Sources:\n1. A & <b>*B*</b>"]);
  });
});
