import { once } from "node:events";
import { connect } from "node:net";
import { createScriptedEngine, finish, start, text } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { SECRET_HEADER, openWebhook, secretToken } from "../support/webhook-stage.ts";

const greet = () => createScriptedEngine(() => [start(), text("Hello!"), finish()]);

/** Sends a body in pieces without an end, and gives what was answered and how much was taken until the other side closed. */
async function sendWithoutEnd(url: string, secret: string): Promise<{ answer: string; taken: number }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  const closed = once(socket, "close").catch(() => undefined);
  const answers: string[] = [];
  socket.on("data", (bytes) => answers.push(bytes.toString()));
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nX-Telegram-Bot-Api-Secret-Token: ${secret}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const piece = `10000\r\n${" ".repeat(65_536)}\r\n`;
  let taken = 0;
  for (; !socket.destroyed && answers.length === 0 && taken < 64 * 1024 * 1024; taken += piece.length) {
    if (!socket.write(piece)) await Promise.race([once(socket, "drain").catch(() => undefined), closed]);
  }
  socket.destroy();
  await closed;
  return { answer: answers.join(""), taken };
}

describe("the body of a webhook", () => {
  test.each([
    ["that Telegram sends, read no further than updates go", secretToken, 413],
    ["that somebody else sends, not read at all", "a_secret-2", 401],
  ])("without end is refused: one %s", async (_, secret, status) => {
    const { api, url, ann, chat } = await openWebhook(greet());

    const { answer, taken } = await sendWithoutEnd(url, secret);
    api.say(chat, ann, "Hi");
    await api.until(() => chat.lastFromBot?.text === "Hello!", "the bot goes on");

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, "u"));
    // With what lies in buffers on the way.
    expect(taken).toBeLessThan(32 * 1024 * 1024);
  });

  test("is read up to what updates can have", async () => {
    const { api, url, ann, chat } = await openWebhook(greet());
    const message = { message_id: 1, date: 1, chat: { id: ann.id, type: "private" }, from: ann, text: "Hi" };
    const update = JSON.stringify({ update_id: 1, message, padding: "x".repeat(900_000) });

    const headers = { [SECRET_HEADER]: secretToken };
    const { status } = await fetch(url, { method: "POST", headers, body: update });
    await api.until(() => chat.lastFromBot?.text === "Hello!", "it is answered");

    expect(status).toBe(200);
  });
});
