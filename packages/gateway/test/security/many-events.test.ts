import { createTerminationSignal } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import { finish, start, text } from "fullstop/testing";
import { expect, it } from "vitest";
import { StoredView } from "../../src/generations/view.ts";
import { get } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

/** More than can be passed to a function as its arguments. */
const MANY = 150_000;

it("reads an answer of very many pieces that has ended, as any other", async () => {
  const gateway = await openScripted({ limits: { maxAnswerBytes: 64 * 1024 * 1024 } });
  const piece = 'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n';
  gateway.script("openai-chat", [start(), { raw: piece.repeat(MANY) }, text("!"), finish()]);
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "openai-chat/m", messages: [{ role: "user", content: "Hi" }] }),
  });
  const id = response.headers.get("x-fullstop-generation-id");
  await response.body?.cancel();
  const expected = { status: 200, body: { text: `${"x".repeat(MANY)}!` } };
  expect(await get(`${gateway.url}/v1/generations/${id}`)).toMatchObject(expected);
});

it("reads a generation that a store gives in one piece", async () => {
  const store = createMemoryStore();
  await store.open({ id: "g", owner: "alice", model: "m", startedAt: 1, holder: "h" });
  const events = Array.from({ length: MANY }, () => text("x"));
  await store.append("g", 0, events);
  const signal = createTerminationSignal({ reason: "natural_completion", originalField: "x", originalValue: "stop" });
  await store.finish("g", signal);
  const stored = await store.find("g");
  if (stored === undefined) throw new Error("it is not there");
  expect(await new StoredView(store, stored).read()).toHaveLength(MANY + 1);
});
