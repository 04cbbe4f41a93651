import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import type { LlamaEngine, LlamaRequest } from "../../src/llama/index.ts";
import { openPip, read, say, user } from "../support/local-model.ts";
import { LOCAL_MODELS } from "../support/local-models.ts";

/** Long enough to be in the middle of for as long as a test needs. */
const ENDLESS = say("Say hello forever");

/** Starts a generation and waits for its first text. */
async function start(engine: LlamaEngine, request: LlamaRequest, signal: AbortSignal) {
  const events: GenerationEvent[] = [];
  let isWriting: () => void = () => undefined;
  const writing = new Promise<void>((resolve) => (isWriting = resolve));
  const ended = read(engine, request, signal, (event) => {
    events.push(event);
    if (event.type === "text") isWriting();
  });
  await Promise.race([writing, ended]);
  return { ended, events };
}

describe.each(LOCAL_MODELS)("several generations of $name at once", ({ model, requests }) => {
  const engine = openPip({ model, sequences: 8, contextTokens: 1024 });
  const { long, loop, thoughtful, tagged, emoji } = requests;

  const REQUESTS: readonly LlamaRequest[] = [
    { ...long, maxOutputTokens: 200 },
    { ...long, maxOutputTokens: 17 },
    { ...long, stop: ["20, 2"] },
    { ...loop, rules: { ...loop.rules, repetition: true } },
    { ...thoughtful, maxOutputTokens: 150 },
    { ...thoughtful, maxOutputTokens: 150, reasoning: { budgetTokens: 6 } },
    { ...tagged, stop: ["</answer>"] },
    { ...emoji, rules: { minTokens: 3 } },
  ];

  it("give each what it gives alone, under its own rules", async () => {
    const alone = [];
    for (const request of REQUESTS) alone.push(await read(engine, request));
    // More than once: where tokens get mixed up between generations, that is a matter of chance.
    for (let round = 0; round < 4; round++) {
      const together = await Promise.all(REQUESTS.map((request) => read(engine, request)));
      for (const [index, answer] of together.entries()) {
        expect(answer.text).toBe(alone[index]!.text);
        expect(answer.reasoning).toBe(alone[index]!.reasoning);
        expect(answer.signal).toEqual(alone[index]!.signal);
        expect(answer.usage?.outputTokens).toBe(alone[index]!.usage?.outputTokens);
      }
    }
  });

  it("give the same whether they are read as a stream or asked for as a whole", async () => {
    const streamed = await Promise.all(REQUESTS.map((request) => read(engine, { ...request, stream: true })));
    const whole = await Promise.all(REQUESTS.map((request) => read(engine, { ...request, stream: false })));
    expect(whole.map(({ text, reasoning, signal }) => [text, reasoning, signal])).toEqual(
      streamed.map(({ text, reasoning, signal }) => [text, reasoning, signal]),
    );
  });

  it("go on when one of them is stopped, fails or is left", async () => {
    const stop = new AbortController();
    const stopped = await start(engine, ENDLESS, stop.signal);
    const broken = read(engine, say("Hello", { stop: [""] }));
    const others = Promise.all(REQUESTS.slice(0, 3).map((request) => read(engine, request)));
    for await (const event of engine.generate(ENDLESS, new AbortController().signal)) {
      if (event.type === "text") break;
    }
    stop.abort();
    expect((await stopped.ended).signal.reason).toBe("cancelled");
    expect((await broken).signal.reason).toBe("error_termination");
    expect((await others).map(({ signal }) => signal.reason)).toEqual([
      "natural_completion",
      "token_limit_reached",
      "stop_sequence",
    ]);
  });
});

describe("stopping Pip", () => {
  const engine = openPip({ sequences: 1, queueLimit: 2 });

  it("keeps what was written, counts it, and frees the place", async () => {
    const stop = new AbortController();
    const { ended } = await start(engine, ENDLESS, stop.signal);
    stop.abort("new_message");
    const answer = await ended;
    expect(answer.signal).toMatchObject({ reason: "cancelled", detail: "new_message" });
    expect(answer.text).toMatch(/^hello/u);
    expect(answer.usage).not.toHaveProperty("estimated");
    expect(answer.usage!.outputTokens).toBeGreaterThan(0);
    expect((await read(engine, say("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
  });

  it("works by leaving the queue while another generation has the place", async () => {
    const stop = new AbortController();
    const { ended } = await start(engine, ENDLESS, stop.signal);
    const events = engine.generate(say("Hello"), new AbortController().signal)[Symbol.asyncIterator]();
    const waiting = events.next();
    await events.return?.();
    expect((await waiting).value).toMatchObject({ type: "finish", signal: { reason: "cancelled" } });
    stop.abort();
    await ended;
  });

  it("works before the first token, in the middle of a long prompt", async () => {
    const stop = new AbortController();
    const request = say("word ".repeat(1500), { maxOutputTokens: 3 });
    const events: GenerationEvent[] = [];
    for await (const event of engine.generate(request, stop.signal)) {
      events.push(event);
      // By the time of the next macrotask the first part of the prompt is being read.
      if (event.type === "start") setImmediate(() => stop.abort());
    }
    expect(events.map(({ type }) => type)).toEqual(["start", "usage", "finish"]);
    const next = await read(engine, request);
    // What was read before the stop was a part of the prompt only.
    expect(next.usage!.cachedInputTokens).toBeLessThan(1000);
    expect(next.usage).toMatchObject({ outputTokens: 3 });
  });

  it("does nothing to an answer that has ended", async () => {
    const stop = new AbortController();
    const answer = await read(engine, say("What is 2 + 3?"), stop.signal);
    stop.abort();
    expect(answer.signal.reason).toBe("natural_completion");
    expect((await read(engine, say("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
  });

  it("generates nothing for a signal that was aborted before", async () => {
    const answer = await read(engine, ENDLESS, AbortSignal.abort("operator"));
    expect(answer.events).toHaveLength(1);
    expect(answer.signal).toMatchObject({ reason: "cancelled", detail: "operator" });
  });

  it("lets the next in the queue in, in order", async () => {
    const stop = new AbortController();
    const running = await start(engine, ENDLESS, stop.signal);
    const order: string[] = [];
    const note = (name: string) => (event: GenerationEvent) => {
      if (event.type === "start") order.push(name);
    };
    const waiting = ["first", "second"].map((name) => read(engine, say("What is 2 + 3?"), undefined, note(name)));
    await settle();
    expect(engine.status()).toMatchObject({ live: 3, waiting: 2, free: 0 });
    stop.abort();
    expect((await Promise.all(waiting)).map(({ text }) => text)).toEqual(["2 + 3 = 5", "2 + 3 = 5"]);
    expect(order).toEqual(["first", "second"]);
    await running.ended;
    // The last event comes before the place is free, not after.
    await settle();
    expect(engine.status()).toMatchObject({ live: 0, waiting: 0, free: 1 });
  });

  it("takes a request out of the queue that is not wanted any more", async () => {
    const stop = new AbortController();
    const running = await start(engine, ENDLESS, stop.signal);
    const unwanted = new AbortController();
    const queued = read(engine, ENDLESS, unwanted.signal);
    await settle();
    expect(engine.status().waiting).toBe(1);
    unwanted.abort();
    expect((await queued).events).toHaveLength(1);
    await settle();
    expect(engine.status().waiting).toBe(0);
    stop.abort();
    await running.ended;
  });

  it("is not needed by one that is refused because too many wait", async () => {
    const stop = new AbortController();
    const running = await start(engine, ENDLESS, stop.signal);
    const queued = [0, 1].map(() => read(engine, say("What is 2 + 3?")));
    await settle();
    const refused = await read(engine, say("What is 2 + 3?"));
    expect(refused.signal).toMatchObject({ reason: "error_termination", detail: "overloaded" });
    expect(refused.signal.message).toMatch(/2 requests wait/u);
    stop.abort();
    await running.ended;
    expect((await Promise.all(queued)).map(({ text }) => text)).toEqual(["2 + 3 = 5", "2 + 3 = 5"]);
  });
});

describe("what Pip has read before", () => {
  const engine = openPip({ sequences: 2 });
  const story = "Remember this: my dog is called Rex. ".repeat(15);

  it("is not read again by the next turn of a conversation", async () => {
    const first = await read(engine, say(story, { maxOutputTokens: 10 }));
    expect(first.usage?.cachedInputTokens).toBeLessThan(10);
    const messages = [user(story), { role: "assistant", content: [{ type: "text", text: first.text }] } as const];
    const second = await read(engine, {
      model: "local",
      messages: [...messages, user("What is my dog called?")],
      reasoning: { effort: "none" },
      maxOutputTokens: 10,
    });
    expect(second.usage!.cachedInputTokens).toBeGreaterThan(150);
    expect(second.usage!.cachedInputTokens).toBeLessThan(second.usage!.inputTokens);
  });

  it("is looked for in every free place", async () => {
    const other = "A list of things: apple, pear, plum. ".repeat(15);
    const short = { maxOutputTokens: 5 };
    await Promise.all([read(engine, say(story, short)), read(engine, say(other, short))]);
    const again = await Promise.all([read(engine, say(other, short)), read(engine, say(story, short))]);
    for (const { usage } of again) expect(usage!.cachedInputTokens).toBe(usage!.inputTokens - 1);
  });
});

/** Lets everything go on that can without waiting for the model. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
