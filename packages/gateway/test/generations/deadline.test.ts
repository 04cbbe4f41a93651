import { createGate, finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();
const upstream = gateway.upstreams["openai-chat"];

const ask = (maxMilliseconds: number) =>
  post(`${gateway.url}/v1/chat/completions`, {
    model: "openai-chat/some-model",
    messages: [{ role: "user", content: "Hi" }],
    fullstop: { maxMilliseconds },
  });

describe("a generation that may take so many milliseconds", () => {
  it.each([
    ["in the middle of its answer", [start(), text("Hello"), text(", world")], "Hello, world"],
    ["before its first word", [start()], ""],
  ])("ends on time though its provider falls silent %s, with what there is", async (_where, said, written) => {
    const gate = createGate();
    gateway.script("openai-chat", [...said, gate.pass, text(" too late"), finish()]);
    const { body } = await ask(1000);
    expect(body).toMatchObject({
      choices: [{ message: { content: written } }],
      fullstop: { reason: "budget_exceeded", detail: "deadline" },
    });
    expect(await upstream.requests.at(-1)!.closed).toBe("gone");
    gate.open();
  });

  it.each([60_000, 2 ** 40])("ends as its provider says if that comes first: %d", async (maxMilliseconds) => {
    gateway.script("openai-chat", [start(), text("Hello"), usage(9, 4), finish()]);
    expect((await ask(maxMilliseconds)).body).toMatchObject({ fullstop: { reason: "natural_completion" } });
  });
});
