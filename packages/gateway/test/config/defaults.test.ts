import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { hashOf, post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import { bodyOf, pathOf } from "../support/small-requests.ts";

const gateway = await openScripted({
  models: {
    plain: { provider: "openai-chat", model: "some-model" },
    short: { provider: "openai-chat", model: "some-model", defaults: { maxCharacters: 30 } },
    lasting: { provider: "openai-chat", model: "some-model", defaults: { onDisconnect: "continue" } },
    failing: { provider: "gemini", model: "some-model", defaults: { maxCharacters: 25 } },
    "openai-chat/short": { defaults: { maxCharacters: 30 } },
  },
  aliases: { brief: "short", terse: "openai-chat/short" },
  fallbacks: { failing: ["short"] },
  keys: [
    { name: "alice", sha256: hashOf("alice") },
    { name: "bob", sha256: hashOf("bob"), defaults: { maxCharacters: 20 } },
    { name: "carol", sha256: hashOf("carol"), defaults: { stop: "7" } },
  ],
  defaults: { maxCharacters: 40 },
});
gateway.script("openai-chat", [start(), text("0123456789".repeat(5)), usage(9, 50), finish()]);

async function ask(key: string, model: string, fullstop?: object) {
  const body = { ...bodyOf("openai-chat", model), ...(fullstop && { fullstop }) };
  const answer = await post(`${gateway.url}${pathOf("openai-chat", model)}`, body, { "x-api-key": key });
  const told = answer.body as { choices: [{ message: { content: string } }] };
  return told.choices[0].message.content;
}

describe("the settings of a request", () => {
  it.each([
    { key: "alice", model: "plain", length: 40, whose: "the server's" },
    { key: "alice", model: "openai-chat/any", length: 40, whose: "the server's" },
    { key: "alice", model: "short", length: 30, whose: "the model's" },
    { key: "alice", model: "brief", length: 30, whose: "the model's, by another name" },
    { key: "alice", model: "openai-chat/short", length: 30, whose: "the model's" },
    { key: "alice", model: "terse", length: 30, whose: "the model's, by another name" },
    { key: "bob", model: "plain", length: 20, whose: "the key's" },
    { key: "bob", model: "short", length: 20, whose: "the key's" },
    { key: "bob", model: "short", fullstop: { maxCharacters: 10 }, length: 10, whose: "its own" },
    { key: "bob", model: "short", fullstop: { repetition: true }, length: 20, whose: "the key's where it has none" },
    { key: "bob", model: "lasting", length: 20, whose: "the key's where the model has none" },
    { key: "carol", model: "short", length: 7, whose: "all together" },
    { key: "carol", model: "short", fullstop: { stop: "NONE" }, length: 30, whose: "its own in place of the key's" },
  ])("are $whose for $key, $model, $fullstop", async ({ key, model, fullstop, length }) => {
    expect(await ask(key, model, fullstop)).toHaveLength(length);
  });

  it("are those of the model that was asked, also where another one answers", async () => {
    gateway.script("gemini", { status: 500 });
    expect(await ask("alice", "failing")).toHaveLength(25);
  });
});
