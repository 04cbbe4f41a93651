import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Api, GrammyError, HttpError } from "grammy";
import { describe, expect, onTestFinished, test } from "vitest";
import { outcomeOf } from "../../src/screen/outcome.ts";
import type { Outcome } from "../../src/screen/outcome.ts";

function refusal(code: number, description: string, parameters = {}): GrammyError {
  const error = { ok: false, error_code: code, description, parameters } as const;
  return new GrammyError("Call to 'sendMessage' failed!", error, "sendMessage", {});
}

const LATER = { state: "later", milliseconds: 1_000, cause: "failure" } as const;

describe("what an error of Telegram's means", () => {
  const cases: readonly [string, number, object, Partial<Outcome<unknown>>][] = [
    [
      "Too Many Requests: retry after 7",
      429,
      { retry_after: 7 },
      { state: "later", milliseconds: 7_000, cause: "flood" },
    ],
    ["Too Many Requests", 429, {}, { state: "later", milliseconds: 5_000, cause: "flood" }],
    ["Internal Server Error", 500, {}, LATER],
    ["Bad Gateway", 502, {}, LATER],
    ["Gateway Timeout", 504, {}, LATER],
    ["Bad Request: message to edit not found", 400, {}, { state: "gone" }],
    ["Bad Request: message to delete not found", 400, {}, { state: "gone" }],
    ["Bad Request: message can't be edited", 400, {}, { state: "gone" }],
    ["Bad Request: message can't be deleted", 400, {}, { state: "gone" }],
    ["Bad Request: MESSAGE_ID_INVALID", 400, {}, { state: "gone" }],
    ["Bad Request: REPLY_MESSAGE_ID_INVALID", 400, {}, { state: "refused" }],
    ["Bad Request: message to be replied not found", 400, {}, { state: "refused" }],
    ["Forbidden: bot was blocked by the user", 403, {}, { state: "unreachable" }],
    ["Forbidden: user is deactivated", 403, {}, { state: "unreachable" }],
    ["Forbidden: bot was kicked from the supergroup chat", 403, {}, { state: "unreachable" }],
    ["Bad Request: chat not found", 400, {}, { state: "unreachable" }],
    ["Bad Request: TOPIC_CLOSED", 400, {}, { state: "unreachable" }],
    ["Bad Request: TOPIC_DELETED", 400, {}, { state: "unreachable" }],
    ["Bad Request: message thread not found", 400, {}, { state: "unreachable" }],
    ["Bad Request: not enough rights to send text messages to the chat", 400, {}, { state: "unreachable" }],
    ["Bad Request: have no rights to send a message", 400, {}, { state: "unreachable" }],
    ["Bad Request: CHAT_WRITE_FORBIDDEN", 400, {}, { state: "unreachable" }],
    [
      "Bad Request: group chat was upgraded to a supergroup chat",
      400,
      { migrate_to_chat_id: -1_001 },
      { state: "unreachable" },
    ],
    ["Bad Request: can't parse entities", 400, {}, { state: "refused" }],
    ["Bad Request: ENTITY_BOUNDS_INVALID", 400, {}, { state: "refused" }],
    ["Bad Request: message is too long", 400, {}, { state: "refused" }],
    ["Bad Request: TEXTDRAFT_PEER_INVALID", 400, {}, { state: "refused" }],
    ["Not Found", 404, {}, { state: "refused" }],
  ];
  test.each(cases)("%s", async (description, code, parameters, outcome) => {
    const error = refusal(code, description, parameters);
    const needsWords = outcome.state === "refused" || outcome.state === "unreachable";
    expect(await outcomeOf(() => Promise.reject(error))).toEqual({ ...outcome, ...(needsWords && { description }) });
  });
});

test("a call that was carried out gives what Telegram answers", async () => {
  expect(await outcomeOf(async () => 5)).toEqual({ state: "done", value: 5 });
});

test("a connection that fails is tried again later", async () => {
  expect(await outcomeOf(() => Promise.reject(new HttpError("no", new Error("no"))))).toEqual(LATER);
});

test("an answer that is no JSON, such as the page of a server in between, is a failure of the network", async () => {
  const server = createServer((_request, response) => response.writeHead(502).end("<html>Bad Gateway</html>"));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api = new Api("1:x", { apiRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  expect(await outcomeOf(() => api.getMe())).toEqual(LATER);
});

test("what is no answer of Telegram's is not taken for one", async () => {
  await expect(outcomeOf(() => Promise.reject(new TypeError("a mistake")))).rejects.toThrow("a mistake");
});
