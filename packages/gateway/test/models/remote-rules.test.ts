import { createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import type { GenerationRequest } from "fullstop";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { ASKED_DIALECTS } from "../support/dialects.ts";
import { post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({
  aliases: { quick: "openai-chat/some-model" },
  fallbacks: {
    "openai-chat/some-model": ["anthropic-messages/other-model", "gemini/third-model"],
  },
});
const { generations } = gateway.house;
const ask = CLIENTS["openai-chat"](gateway.url);

describe.each(ASKED_DIALECTS)("rules for a provider that speaks %s", (dialect) => {
  const { requests } = gateway.upstreams[dialect];
  const question = { model: `${dialect}/any-model`, stream: true };

  it("end a loop and close the connection", async () => {
    const gate = createGate();
    const line = text("I will not say it again.\n");
    gateway.script(dialect, [start(), ...Array.from({ length: 400 }, () => line), gate.pass, finish()]);
    const told = await ask({ ...question, fullstop: { repetition: true } });
    expect(told.finish).toBe("length");
    expect(told.fullstop).toMatchObject({ reason: "repetition_detected" });
    expect(told.text.length).toBeLessThan(400 * 24);
    expect(await requests.at(-1)!.closed).toBe("gone");
    gate.open();
  });

  it("let a loop pass where nobody minds", async () => {
    gateway.script(dialect, [start(), ...Array.from({ length: 400 }, () => text("Again.\n")), usage(9, 5), finish()]);
    const told = await ask(question);
    expect(told.text).toBe("Again.\n".repeat(400));
    expect(told).toMatchObject({ finish: "stop", usage: { input: 9, output: 5 } });
  });

  it("end an answer at a number of characters", async () => {
    const gate = createGate();
    gateway.script(dialect, [start(), text("Hello, "), text("wörld"), gate.pass, finish()]);
    const told = await ask({ ...question, fullstop: { maxCharacters: 9 } });
    expect(told.text).toBe("Hello, wö");
    expect(await requests.at(-1)!.closed).toBe("gone");
    gate.open();
  });

  it("tell thinking from text that comes as text, wherever it was cut", async () => {
    gateway.script(dialect, [
      start(),
      text("<th"),
      text("ink>Hm"),
      text(".</thi"),
      text("nk>Hello"),
      usage(9, 4),
      finish(),
    ]);
    const told = await ask(question);
    expect(told).toMatchObject({ reasoning: "Hm.", text: "Hello", finish: "stop" });
  });

  it("end its thinking by asking again without any", async () => {
    const gate = createGate();
    const isThoughtless = ({ reasoning: wish = {} }: GenerationRequest): boolean =>
      wish.effort === "none" || wish.budgetTokens === 0;
    // The text is held back when the thinking is skipped, because it may be the beginning of the stop string.
    const script = [start(), reasoning("Well, "), text("never"), gate.pass, text(" mind"), finish()];
    gateway.script(dialect, (request) =>
      isThoughtless(request) ? [start(), text("42"), usage(9, 1), finish()] : script,
    );
    const told = ask({ ...question, think: true, stop: ["never say"] });
    await gate.reached;
    const [generation] = generations.live();
    for await (const _ of generation!.log.follow(1)) break;
    const stop = `${gateway.url}/v1/generations/${generation!.id}/stop`;
    expect(await post(stop, { mode: "skip-thinking" })).toMatchObject({ body: { result: "stopped" } });
    expect(await told).toMatchObject({ reasoning: "Well, ", text: "42", finish: "stop" });
    const [first, second] = requests.slice(-2);
    expect(await first!.closed).toBe("gone");
    expect(isThoughtless(second!.request)).toBe(true);
    // What the first request has cost is not known, but it was not nothing.
    const { usage: counts } = generation!.log.all().findLast((event) => event.type === "usage")!;
    expect(counts).toMatchObject({ estimated: true });
    expect(counts.inputTokens).toBeGreaterThan(9);
    gate.open();
  });
});

describe("a list of models to ask instead", () => {
  const question = { model: "openai-chat/some-model", stream: true };

  it("is gone through until one answers", async () => {
    gateway.script("openai-chat", { status: 503 });
    gateway.script("anthropic-messages", { status: 500, body: "<h1>Oops</h1>" });
    gateway.script("gemini", [start(), text("Here I am"), usage(9, 4), finish()]);
    for (const model of [question.model, "quick"]) {
      expect(await ask({ ...question, model })).toMatchObject({ text: "Here I am", finish: "stop" });
      expect(gateway.upstreams["anthropic-messages"].requests.at(-1)?.request.model).toBe("other-model");
      expect(gateway.upstreams.gemini.requests.at(-1)?.request.model).toBe("third-model");
    }
  });

  it("is left alone when something was said", async () => {
    const { requests } = gateway.upstreams["anthropic-messages"];
    const before = requests.length;
    gateway.script("openai-chat", [start(), text("Hel")]);
    await expect(ask(question)).rejects.toThrow("without a finish");
    expect(requests.length).toBe(before);
  });

  it("is left alone when the request was stopped", async () => {
    const { requests } = gateway.upstreams["anthropic-messages"];
    const before = requests.length;
    const gate = createGate();
    gateway.script("openai-chat", [gate.pass, { raw: "" }]);
    const told = ask(question);
    await gate.reached;
    const [generation] = generations.live();
    await post(`${gateway.url}/v1/generations/${generation!.id}/stop`, {});
    expect(await told).toMatchObject({ text: "", fullstop: { reason: "cancelled" } });
    expect(requests.length).toBe(before);
    gate.open();
  });

  it("tells the last failure when nobody answers", async () => {
    gateway.script("openai-chat", { status: 503 });
    gateway.script("anthropic-messages", { status: 500 });
    gateway.script("gemini", { status: 429, headers: { "retry-after": "7" } });
    await expect(ask(question)).rejects.toMatchObject({ status: 429 });
  });
});

describe("the rules of a configuration", async () => {
  const strict = await openScripted({ defaults: { stop: ["three"], maxCharacters: 15 } });
  const askStrictly = CLIENTS["openai-chat"](strict.url);
  const question = { model: "openai-chat/some-model", stream: false };
  strict.script("openai-chat", [start(), text("one two three four five"), usage(9, 5), finish()]);

  it("hold for requests that say nothing", async () => {
    expect(await askStrictly(question)).toMatchObject({ text: "one two ", fullstop: { stopSequence: "three" } });
  });

  it("give way to those of a request, one by one", async () => {
    const told = await askStrictly({ ...question, fullstop: { stop: "five" } });
    expect(told.text).toBe("one two three f");
    const longer = await askStrictly({ ...question, fullstop: { stop: "five", maxCharacters: 99 } });
    expect(longer).toMatchObject({ text: "one two three four ", fullstop: { stopSequence: "five" } });
  });

  it("stand beside the stop strings of a dialect", async () => {
    expect(await askStrictly({ ...question, stop: ["two"] })).toMatchObject({ text: "one " });
    expect(await askStrictly({ ...question, stop: ["five"] })).toMatchObject({ text: "one two " });
  });
});

describe("a stream that nothing has come for yet", () => {
  it("begins after a while, so that its reader knows of it and can stop it", async () => {
    gateway.script("gemini", { silent: true });
    const messages = [{ role: "user", content: "Hi" }];
    const body = JSON.stringify({ model: "gemini/some-model", messages, stream: true });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", body });
    expect(response.status).toBe(200);
    const id = response.headers.get("x-fullstop-generation-id")!;
    expect(await post(`${gateway.url}/v1/generations/${id}/stop`, {})).toMatchObject({ body: { result: "stopped" } });
    expect(await response.text()).toContain('"reason":"cancelled"');
  });
});
