import { wrapLanguageModel } from "ai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createStopMiddleware,
  decideLoop,
  signalOf,
  stopWhenCallsRepeat,
  stopWhenDecided,
  stopWhenSpent,
} from "../../../src/adapters/ai-sdk/index.ts";
import { text } from "../../support/official.ts";
import { ALL, ASKS, MODELS, counts, done, forever, guard, modelOf, opening, serve } from "../support/models.ts";

/** What somebody may pass who does not heed the types. */
type Loose = (options: unknown) => unknown;

describe("options that cannot be", () => {
  it.each<[string, Loose, unknown, string]>([
    ["an unknown option", createStopMiddleware as Loose, { stopp: ["a"] }, 'got "stopp"'],
    [
      "a misspelt callback",
      createStopMiddleware as Loose,
      { onfinish: 1 },
      "are generate, maxResumes, onFinish, stop,",
    ],
    ["an empty stop string", createStopMiddleware as Loose, { stop: [""] }, "empty string"],
    [
      "a way to generate",
      createStopMiddleware as Loose,
      { generate: "fast" },
      'must be one of streamed, whole, got "fast"',
    ],
    ["a number of resumes", createStopMiddleware as Loose, { maxResumes: -1 }, "maxResumes must be a whole number"],
    ["a callback", createStopMiddleware as Loose, { onFinish: "me" }, 'onFinish must be a function, got "me"'],
    ["an option of a loop", stopWhenDecided as Loose, { limit: {} }, 'got "limit"'],
    ["a limit", stopWhenSpent as Loose, { maxTurns: 0 }, "limits maxTurns must be a whole number"],
    ["a limit of a loop", stopWhenDecided as Loose, { limits: { maxTokens: "many" } }, "limits maxTokens"],
    ["a watch on calls", stopWhenCallsRepeat as Loose, { halt: 1 }, "halt must be a whole number"],
    ["a watch on calls of a loop", stopWhenDecided as Loose, { repeatedCalls: { nudge: 9 } }, "must not be smaller"],
    ["no steps", decideLoop as Loose, [], "steps must hold at least one step"],
  ])("are refused with what was wrong: %s", (_name, use, options, message) => {
    expect(() => use(options)).toThrow(message);
  });

  it("are refused in a call before anything is sent", async () => {
    const { dialect, create } = modelOf("openai-chat");
    const server = await serve(dialect, [opening, text("Hello"), counts, done]);
    const { model } = guard(create(server.baseUrl));
    const [, { ask }] = ASKS;
    await expect(ask(model, { providerOptions: { fullstop: { stop: [""] } } })).rejects.toThrow("empty string");
    await expect(ask(model, { providerOptions: { fullstop: { maxTokenz: 3 } } })).rejects.toThrow('got "maxTokenz"');
    expect(server.requests.length).toBe(0);
  });
});

describe.each(ALL)("$name by $by", ({ dialect, create, ask }) => {
  it("takes rules for one call in place of those for all, and does not send them on", async () => {
    const server = await serve(dialect, [opening, text("one two three"), counts, done]);
    const { model } = guard(create(server.baseUrl), { stop: ["two"], maxCharacters: 100 });
    const outcome = await ask(model, { providerOptions: { fullstop: { stop: [" three"] } } });
    expect(outcome.text).toBe("one two");
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("fullstop");
    expect((await ask(model)).text).toBe("one ");
  });
});

describe.each(MODELS)("an answer that comes whole, of $name", ({ dialect, create }) => {
  const [, { ask }] = ASKS;

  it("is cut where a stream would be, and told in the same words", async () => {
    const server = await serve(dialect, [opening, text("The answer is 42</answer> and more"), counts, done]);
    const { model, calls } = guard(create(server.baseUrl), { generate: "whole", stop: ["</answer>"] });
    const outcome = await ask(model, { stopSequences: ["a1", "a2", "a3", "a4", "a5"] });
    expect(outcome).toMatchObject({ text: "The answer is 42", finishReason: "stop", rawFinishReason: "stop_sequence" });
    expect(signalOf(outcome.providerMetadata)).toMatchObject({ stopSequence: "</answer>" });
    expect(calls).toMatchObject([{ text: "The answer is 42", usage: { inputTokens: 9, outputTokens: 4 } }]);
    // All of it was paid for, and the provider has counted that.
    expect(calls[0]?.usage).not.toHaveProperty("estimated");
    const { request } = server.requests[0]!;
    expect(request.stream ?? false).toBe(false);
    const taken = { "openai-responses": undefined, "anthropic-messages": ["a1", "a2", "a3", "a4", "a5", "</answer>"] };
    const first = ["a1", "a2", "a3", "a4"];
    expect(request.stop).toEqual(dialect in taken ? taken[dialect as keyof typeof taken] : first);
  });

  it("is the same as without rules that fire", async () => {
    const { baseUrl } = await serve(dialect, [opening, text("Hello"), counts, done]);
    const plain = await ask(create(baseUrl));
    const { providerMetadata: _ours, ...guarded } = await ask(guard(create(baseUrl), { generate: "whole" }).model);
    const { providerMetadata: _theirs, ...alone } = plain;
    expect(guarded).toEqual(alone);
  });
});

it.each([
  [
    "threw",
    () => {
      throw new Error("mine");
    },
  ],
  ["rejected", () => Promise.reject(new Error("mine"))],
])("does not lose an answer because somebody who was told of it %s", async (_, onFinish) => {
  const { dialect, create } = modelOf("openai-chat");
  const { baseUrl } = await serve(dialect, [opening, text("Hello END"), forever]);
  const [{ ask }] = ASKS;
  const middleware = createStopMiddleware({ stop: ["END"], onFinish });
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  expect((await ask(wrapLanguageModel({ model: create(baseUrl), middleware }))).text).toBe("Hello ");
  expect(middleware.lastCall?.text).toBe("Hello ");
  expect(warn).toHaveBeenCalledWith("fullstop: onFinish threw:", expect.objectContaining({ message: "mine" }));
});

it("tells two calls at a time apart", async () => {
  const { dialect, create } = modelOf("openai-chat");
  const { baseUrl } = await serve(dialect, ({ messages }) => {
    const [part] = messages.at(-1)?.content ?? [];
    const word = part?.type === "text" ? part.text : "";
    return [opening, text(`${word} STO`), text(word === "a" ? "P never" : "RY"), counts, done];
  });
  const { model } = guard(create(baseUrl), { stop: ["STOP"] });
  const [{ ask }] = ASKS;
  const words = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "a" : "b"));
  const outcomes = await Promise.all(words.map((prompt) => ask(model, { prompt })));
  expect(outcomes.map(({ text: shown }) => shown)).toEqual(words.map((word) => (word === "a" ? "a " : "b STORY")));
});
