import type { TerminationReason } from "fullstop";
import { defineTool } from "fullstop/agent";
import type { AgentEnd, AgentResult } from "fullstop/agent";
import { definePolicy } from "fullstop/decide";
import { call, createScriptedEngine, finish, start, text, usage } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { endingOf } from "../src/answers/ending.ts";
import { ENGLISH } from "../src/words/english.ts";
import { GERMAN } from "../src/words/german.ts";
import type { EndingKind } from "../src/words/words.ts";
import type { TestBotOptions } from "./support/open-bot.ts";
import { openStage } from "./support/stage.ts";

/** Nothing is done about an answer that is not whole. */
const RESIGNED = definePolicy({
  preset: "chat",
  bounds: { continue: 0, increase_budget: 0, retry: 0, modify_prompt: 0, resume: 0, switch_model: 0 },
  unknownErrorRetries: 0,
});

const CONTINUE = [["▶ Continue", "🔄 Regenerate"]];
const REGENERATE = [["🔄 Regenerate"]];
const HELLO = [start(), text("Hello")];

interface Case {
  readonly name: string;
  readonly script: readonly ScriptStep[];
  readonly shown: string;
  readonly buttons: readonly (readonly string[])[];
  readonly options?: Partial<TestBotOptions>;
}

const LOOK = defineTool({ name: "look", execute: () => "nothing" });
const LOOP = "The cat sat on the mat and looked at the dog. ";

const CASES: readonly Case[] = [
  { name: "a whole answer", script: [...HELLO, finish()], shown: "Hello", buttons: [] },
  { name: "a stop sequence", script: [...HELLO, finish("stop_sequence")], shown: "Hello", buttons: [] },
  {
    name: "the length limit",
    script: [...HELLO, finish("token_limit_reached")],
    shown: `Hello\n\n${ENGLISH.endings.length}`,
    buttons: CONTINUE,
  },
  {
    name: "a filter after some text",
    script: [...HELLO, finish("content_filtered")],
    shown: `Hello\n\n${ENGLISH.endings.filtered}`,
    buttons: REGENERATE,
  },
  {
    name: "a filter before any text",
    script: [start(), finish("content_filtered")],
    shown: ENGLISH.endings.filtered,
    buttons: REGENERATE,
  },
  {
    name: "a full context",
    script: [start(), finish("context_window_exceeded")],
    shown: ENGLISH.endings.context,
    buttons: REGENERATE,
  },
  {
    name: "a connection that is cut off",
    script: [...HELLO, finish("error_termination", { detail: "truncated" })],
    shown: `Hello\n\n${ENGLISH.endings.cut}`,
    buttons: CONTINUE,
  },
  {
    name: "a model that breaks off without a word about it",
    script: [...HELLO],
    shown: `Hello\n\n${ENGLISH.endings.cut}`,
    buttons: CONTINUE,
  },
  {
    name: "an end that nobody knows",
    script: [...HELLO, finish("unknown", { confidence: "low" })],
    shown: `Hello\n\n${ENGLISH.endings.unknown}`,
    buttons: CONTINUE,
  },
  {
    name: "an end that nobody knows, of nothing",
    script: [start(), finish("unknown", { confidence: "low" })],
    shown: ENGLISH.endings.error,
    buttons: REGENERATE,
  },
  {
    name: "a conversation that is refused for its length",
    script: [start(), finish("error_termination", { detail: "context_window" })],
    shown: ENGLISH.endings.context,
    buttons: REGENERATE,
  },
  {
    name: "an error before any text",
    script: [start(), finish("error_termination", { detail: "authentication" })],
    shown: ENGLISH.endings.error,
    buttons: REGENERATE,
  },
  {
    name: "an empty answer",
    script: [start(), finish()],
    shown: ENGLISH.endings.error,
    buttons: REGENERATE,
  },
  {
    name: "an answer of white space",
    script: [start(), text(" \n\n "), finish()],
    shown: ENGLISH.endings.error,
    buttons: REGENERATE,
  },
  {
    name: "an answer of characters that nobody sees",
    script: [start(), text("\u200B\u2800\u0000\u{E0041}"), finish()],
    shown: ENGLISH.endings.error,
    buttons: REGENERATE,
  },
  {
    name: "a limit after characters that nobody sees",
    script: [start(), text("\u200B"), finish("token_limit_reached")],
    shown: ENGLISH.endings.length,
    buttons: REGENERATE,
  },
  {
    name: "a budget that is used up",
    script: [...HELLO, finish("budget_exceeded")],
    shown: `Hello\n\n${ENGLISH.endings.budget}`,
    buttons: CONTINUE,
  },
  {
    name: "too many steps",
    script: [...HELLO, ...call("1", "look"), finish("tool_calls")],
    shown: `Hello\n\n${ENGLISH.endings.tools}`,
    buttons: CONTINUE,
    options: {
      limits: { maxTurns: 1 },
      tools: [LOOK],
    },
  },
  {
    name: "too many tokens",
    script: [...HELLO, ...call("1", "look"), usage(600, 600), finish("tool_calls")],
    shown: `Hello\n\n${ENGLISH.endings.budget}`,
    buttons: CONTINUE,
    options: {
      limits: { maxTokens: 1_000 },
      tools: [LOOK],
    },
  },
];

describe("how an answer has ended is to be seen", () => {
  test.each(CASES)("$name", async ({ script, shown, buttons, options = {} }) => {
    const engine = createScriptedEngine([script]);
    const { api, chat, say } = await openStage({ ...options, engine, policy: RESIGNED });
    say("Hello?");
    await api.until(() => chat.lastFromBot?.text === shown, shown);
    await api.until(
      () => JSON.stringify(chat.lastFromBot?.buttons) === JSON.stringify(buttons),
      JSON.stringify(buttons),
    );
    expect(chat.messages.filter(({ isFromBot }) => isFromBot)).toHaveLength(1);
  });

  test("a loop", async () => {
    const engine = createScriptedEngine([[start(), ...Array.from({ length: 60 }, () => text(LOOP)), finish()]]);
    const { api, chat, say } = await openStage({ engine, policy: RESIGNED });
    say("Hello?");
    await api.until(() => chat.lastFromBot?.text.endsWith(ENGLISH.endings.loop), "it says so");
    await api.until(() => chat.lastFromBot?.buttons.flat().join() === "🔄 Regenerate", "it can be written again");
    expect(chat.lastFromBot?.text.length).toBeLessThan(60 * LOOP.length);
  });

  test("the limit in the middle of a stop string of the rules, of which nothing is shown", async () => {
    const engine = createScriptedEngine([
      [start(), text("Hello </an"), finish("token_limit_reached")],
      [start(), text("</answer> tail"), finish()],
    ]);
    // As many as there can be, so that the answer is completed and not asked for anew with more of them.
    const request = { maxOutputTokens: 16_384 };
    const { api, chat, say } = await openStage({ engine, request, rules: { stop: "</answer>" } });
    say("Hello?");
    await api.until(() => engine.requests.length === 2 && chat.lastFromBot?.buttons.length === 0, "it has ended");

    expect(chat.lastFromBot?.text).toBe("Hello");
  });

  test("a time limit", async () => {
    const engine = createScriptedEngine([[...HELLO, () => new Promise<void>(() => undefined)]]);
    const { api, chat, say } = await openStage({ engine, policy: RESIGNED, limits: { maxMilliseconds: 50 } });
    say("Hello?");
    await api.until(() => chat.lastFromBot?.text === `Hello\n\n${ENGLISH.endings.time}`, "it says so");
    await api.until(() => chat.lastFromBot?.buttons.length === 1, "it has buttons");
    expect(chat.lastFromBot?.buttons).toEqual(CONTINUE);
  });

  test("in the language of whoever has asked", async () => {
    const engine = createScriptedEngine([[...HELLO, finish("token_limit_reached")]]);
    const { api } = await openStage({ engine, policy: RESIGNED });
    const eva = api.person({ firstName: "Eva", languageCode: "de-AT" });
    const chat = api.privateChat(eva);
    api.say(chat, eva, "Hallo?");
    await api.until(() => chat.lastFromBot?.text === `Hello\n\n${GERMAN.endings.length}`, "it says so");
    await api.until(() => chat.lastFromBot?.buttons.flat().length === 2, "it can be continued");
    expect(chat.lastFromBot?.buttons).toEqual([[GERMAN.buttons.continue, GERMAN.buttons.regenerate]]);
  });
});

describe("what readers are told", () => {
  const result = (end: AgentEnd, reason?: TerminationReason, said = ""): AgentResult =>
    ({ end, text: said, signals: reason === undefined ? [] : [finish(reason).signal] }) as unknown as AgentResult;

  test.each<[AgentEnd, EndingKind | undefined]>([
    ["completed", undefined],
    ["stopped", "interrupted"],
    ["refused", "filtered"],
    ["context_full", "context"],
    ["repeated_calls", "loop"],
    ["turn_limit", "tools"],
    ["tool_call_limit", "tools"],
    ["token_limit", "budget"],
    ["cost_limit", "budget"],
    ["time_limit", "time"],
  ])("of a run that is %s: %s", (end, kind) => {
    expect(endingOf(result(end, "natural_completion"), "some")).toBe(kind);
  });

  test.each<[TerminationReason, string, EndingKind]>([
    ["token_limit_reached", "some", "length"],
    ["context_window_exceeded", "some", "context"],
    ["content_filtered", "some", "filtered"],
    ["repetition_detected", "some", "loop"],
    ["budget_exceeded", "some", "budget"],
    ["cancelled", "some", "interrupted"],
    ["error_termination", "some", "cut"],
    ["error_termination", "", "error"],
    ["unknown", "some", "unknown"],
    ["unknown", "", "error"],
    ["unknown", "\u200B", "error"],
    ["error_termination", "\u2800", "error"],
  ])("of an answer that is incomplete, for %s after %j: %s", (reason, said, kind) => {
    expect(endingOf(result("incomplete", reason, said), said)).toBe(kind);
    expect(endingOf(result("failed", reason, said), said)).toBe(kind);
  });

  test("of a run that nothing is known about", () => {
    expect(endingOf(result("failed"), "")).toBe("error");
  });
});
