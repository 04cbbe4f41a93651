import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createScriptedEngine, finish, start, text } from "fullstop/testing";
import type { Update } from "grammy/types";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { watchConnections } from "../../../gateway/test/support/opened-connections.ts";
import type { BotApi } from "../support/bot-api/index.ts";
import { askedOf } from "../support/records.ts";
import { openStage } from "../support/stage.ts";

const visits: (string | undefined)[] = [];
/** A server that nobody has a reason to ask. */
const trap = createServer(({ url }, response) => {
  visits.push(url);
  response.end("{}");
});
await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
afterAll(() => void trap.close());
const TRAP = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;

const opened = watchConnections([]);

/** What was asked of any web server of this process. */
const asks: string[] = [];
const onRequest = (message: unknown): void => void asks.push((message as { request: { url: string } }).request.url);
subscribe("http.server.request.start", onRequest);
afterAll(() => void unsubscribe("http.server.request.start", onRequest));

beforeEach(() => {
  visits.length = 0;
  asks.length = 0;
});

/** What the bot calls in order to answer; files are fetched by other methods. */
const USUAL = [
  "getMe",
  "setMyCommands",
  "deleteWebhook",
  "getUpdates",
  "sendChatAction",
  "sendMessage",
  "editMessageText",
];

/** The calls of Telegram that have nothing to do with an answer. */
const asksOf = ({ token }: BotApi): readonly string[] =>
  asks.filter((url) => !USUAL.some((method) => url === `/bot${token}/${method}`));

const photo = [
  { file_id: "a", file_unique_id: "b", width: 9, height: 9, file_size: 9, file_path: `${TRAP}/photo.png` },
];

describe("an address that somebody writes to the bot", () => {
  test.each([
    ["in a text", { text: `Look at ${TRAP}/a.png` }, [`user: Look at ${TRAP}/a.png`]],
    [
      "behind a word",
      { text: "Look", entities: [{ type: "text_link", offset: 0, length: 4, url: `${TRAP}/a.png` }] },
      ["user: Look"],
    ],
    [
      "for a preview",
      { text: "Look", link_preview_options: { url: `${TRAP}/a.png`, prefer_large_media: true } },
      ["user: Look"],
    ],
    ["under a picture", { caption: `See ${TRAP}/a.png`, photo }, [`user: See ${TRAP}/a.png`]],
    ["under a file", { caption: "See", document: { file_id: "a", file_name: `${TRAP}/a.pdf` } }, ["user: See"]],
  ])("is not opened by anybody, and no file is fetched: %s", async (_, content, asked) => {
    const engine = createScriptedEngine(() => [start(), text(`![a](${TRAP}/b.png) [c](${TRAP}/c) done`), finish()]);
    const { api, ann, untilLast } = await openStage({ engine });
    const message = { message_id: 9, date: 1, chat: { id: ann.id, type: "private" }, from: ann, ...content };

    api.deliverAgain({ update_id: 5, message } as unknown as Update);
    await untilLast((said) => said.endsWith("done"), "the model has answered, with addresses, too");

    expect(askedOf(engine, 0)).toEqual(asked);
    const { host } = new URL(api.url);
    expect(opened().filter((each) => each !== host)).toEqual([]);
    expect(visits).toEqual([]);
    expect(asksOf(api)).toEqual([]);
  });
});
