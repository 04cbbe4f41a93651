import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INTERRUPTED_RESULT, repairHistory } from "../../src/agent/repair-history.ts";
import type { Message, ToolCallPart } from "../../src/request.ts";
import {
  CUT_ARGUMENTS,
  anyDamaged,
  anyHistory,
  assistant,
  call,
  interrupted,
  result,
  said,
  system,
  thought,
  user,
} from "../support/histories.ts";
import { same } from "../support/same.ts";

const ask = user("go");
const partial = { isPartial: true } as const;

const cases: readonly {
  readonly what: string;
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}[] = [
  {
    what: "fills in a result that is missing",
    before: [ask, assistant(call("a"))],
    after: [ask, assistant(call("a")), interrupted("a")],
  },
  {
    what: "fills in the missing one of several, in the order of the calls",
    before: [assistant(call("a"), call("b"), call("c")), result("c", "3"), result("a", "1")],
    after: [assistant(call("a"), call("b"), call("c")), result("a", "1"), interrupted("b"), result("c", "3")],
  },
  {
    what: "moves a late result to its call",
    before: [assistant(call("a")), user("stop"), assistant(said("ok")), result("a", "1")],
    after: [assistant(call("a")), result("a", "1"), user("stop"), assistant(said("ok"))],
  },
  {
    what: "moves instructions behind the results",
    before: [assistant(call("a"), call("b")), system("s"), result("a", "1"), system("t"), result("b", "2")],
    after: [assistant(call("a"), call("b")), result("a", "1"), result("b", "2"), system("s"), system("t")],
  },
  {
    what: "lets a real result take the place of a made-up one",
    before: [assistant(call("a")), interrupted("a"), user("and?"), result("a", "1")],
    after: [assistant(call("a")), result("a", "1"), user("and?")],
  },
  {
    what: "does not let a made-up result take the place of a real one",
    before: [assistant(call("a")), result("a", "1"), interrupted("a")],
    after: [assistant(call("a")), result("a", "1")],
  },
  {
    what: "keeps the first of two real results",
    before: [assistant(call("a")), result("a", "1"), user("x"), result("a", "2")],
    after: [assistant(call("a")), result("a", "1"), user("x")],
  },
  {
    what: "takes an error of the tool's own for a real result",
    before: [assistant(call("a")), { ...result("a", "no such file"), isError: true }, result("a", "2")],
    after: [assistant(call("a")), { ...result("a", "no such file"), isError: true }],
  },
  {
    what: "takes our text for a real result where the tool did not fail",
    before: [assistant(call("a")), result("a", INTERRUPTED_RESULT), result("a", "2")],
    after: [assistant(call("a")), result("a", INTERRUPTED_RESULT)],
  },
  {
    what: "drops a result without a call",
    before: [ask, result("a", "1"), assistant(said("hi")), interrupted("b")],
    after: [ask, assistant(said("hi"))],
  },
  {
    what: "drops a result that comes before its call",
    before: [result("a", "0"), assistant(call("a")), result("a", "1")],
    after: [assistant(call("a")), result("a", "1")],
  },
  {
    what: "gives each turn its own result where ids come again",
    before: [assistant(call("a")), result("a", "1"), assistant(call("a")), result("a", "2")],
    after: [assistant(call("a")), result("a", "1"), assistant(call("a")), result("a", "2")],
  },
  {
    what: "gives a result to the nearest of two calls with its id, and the next to the other",
    before: [assistant(call("a")), user("x"), assistant(call("a")), result("a", "2"), result("a", "1")],
    after: [assistant(call("a")), result("a", "1"), user("x"), assistant(call("a")), result("a", "2")],
  },
  {
    what: "answers calls with one id in one message in their order",
    before: [assistant(call("a"), call("a")), result("a", "1"), result("a", "2")],
    after: [assistant(call("a"), call("a")), result("a", "1"), result("a", "2")],
  },
  {
    what: "gives results that name a tool to its calls first",
    before: [
      assistant(call("a"), { ...call("a"), name: "g" }),
      { ...result("a", "of g"), name: "g" },
      { ...result("a", "again"), name: "g" },
    ],
    after: [
      assistant(call("a"), { ...call("a"), name: "g" }),
      { ...result("a", "again"), name: "g" },
      { ...result("a", "of g"), name: "g" },
    ],
  },
  {
    what: "removes a cut call together with its results",
    before: [assistant(said("so"), call("a"), call("b", '{"pa')), result("b", "bad"), result("a", "1")],
    after: [assistant(said("so"), call("a")), result("a", "1")],
  },
  {
    what: "drops a message of which a cut call was all",
    before: [ask, assistant(call("a", '{"pa')), user("and?")],
    after: [ask, user("and?")],
  },
  {
    what: "drops the thinking that led to a cut call",
    before: [ask, assistant(thought("1", "p"), said("so"), thought("2", "p"), call("a", "{")), user("and?")],
    after: [ask, assistant(thought("1", "p"), said("so")), user("and?")],
  },
  {
    what: "keeps the thinking that led to a whole call",
    before: [ask, assistant(thought("1", "p"), call("a"), thought("2", "p"), call("b", "{"))],
    after: [ask, assistant(thought("1", "p"), call("a")), interrupted("a")],
  },
  {
    what: "drops thinking at the end of an answer that was broken off",
    before: [ask, { ...assistant(said("so"), thought("1", "p")), ...partial }],
    after: [ask, { ...assistant(said("so")), ...partial }],
  },
  {
    what: "drops a message of nothing but thinking and empty text",
    before: [ask, assistant(thought("1", "p"), said("")), user("and?"), assistant()],
    after: [ask, user("and?")],
  },
];

const untouched: readonly { readonly what: string; readonly messages: readonly Message[] }[] = [
  { what: "nothing at all", messages: [] },
  { what: "talk", messages: [system("s"), ask, user("again"), assistant(said("hi")), user("bye")] },
  { what: "thinking and text", messages: [ask, assistant(thought("1"), said("hi"))] },
  { what: "a proof behind the text", messages: [ask, assistant(said("hi"), thought("", "proof"))] },
  { what: "an answer that was broken off", messages: [ask, { ...assistant(said("so th")), ...partial }] },
  { what: "a call with its result", messages: [ask, assistant(call("a")), result("a", "1")] },
  { what: "a call without arguments", messages: [assistant(call("a", "")), result("a", "1")] },
  { what: "a call whose arguments are no object", messages: [assistant(call("a", "null")), result("a", "1")] },
  { what: "a made-up result", messages: [assistant(call("a")), interrupted("a"), ask] },
  {
    what: "a made-up result and a real one for calls with one id",
    messages: [assistant(call("a"), call("a")), interrupted("a"), result("a", "2")],
  },
  {
    what: "what the provider has done itself",
    messages: [ask, assistant({ type: "opaque", format: "anthropic-messages", value: { type: "server_tool_use" } })],
  },
];

describe("repairing a history", () => {
  it.each(cases)("$what", ({ before, after }) => {
    expect(repairHistory(before)).toEqual(after);
  });

  it.each(untouched)("returns the same object for $what", ({ messages }) => {
    expect(repairHistory(messages)).toBe(messages);
  });

  it.each(CUT_ARGUMENTS)("takes the arguments %s for cut", (json) => {
    expect(repairHistory([ask, assistant(call("a", json)), result("a", "1")])).toEqual([ask]);
  });

  it("says what it is told to say for a missing result", () => {
    const options = { interruptedText: "Unterbrochen." };
    const repaired = repairHistory([assistant(call("a"))], options);
    expect(repaired).toEqual([assistant(call("a")), interrupted("a", "Unterbrochen.")]);
    expect(repairHistory(repaired, options)).toBe(repaired);
  });

  it("lets a real result replace what it said under the default as well", () => {
    const repaired = repairHistory([assistant(call("a"))]);
    const options = { interruptedText: "Unterbrochen." };
    expect(repairHistory(repaired, options)).toBe(repaired);
    expect(repairHistory([...repaired, result("a", "1")], options)).toEqual([assistant(call("a")), result("a", "1")]);
  });

  it("refuses a text that is none and options that do not exist", () => {
    expect(() => repairHistory([], { interruptedText: " " })).toThrow('interruptedText must be a text, got " "');
    expect(() => repairHistory([], { text: "x" } as object)).toThrow("repair has no such option");
  });

  it("undoes every damage at once", () => {
    fc.assert(
      fc.property(anyDamaged, ({ damaged, whole }) => {
        same(repairHistory(damaged), whole);
      }),
      { numRuns: 1000 },
    );
  });

  it("finds nothing to repair in what it has repaired", () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const repaired = repairHistory(messages);
        expect(repairHistory(repaired)).toBe(repaired);
      }),
      { numRuns: 1000 },
    );
  });

  it("makes any history valid, and returns the same object exactly when it was", () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const repaired = repairHistory(messages);
        same(problemsOf(repaired), []);
        same(repaired === messages, problemsOf(messages).length === 0);
      }),
      { numRuns: 3000 },
    );
  });

  it("keeps everything that is whole, in its order", () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const repaired = repairHistory(messages);
        const talk = (list: readonly Message[]): readonly Message[] =>
          list.filter(({ role }) => role === "user" || role === "system");
        same(talk(repaired), talk(messages));
        same(textsOf(repaired), textsOf(messages));
        same(callsOf(repaired), callsOf(messages).filter(isWhole));
        const kept = new Set(repaired);
        for (const { callId } of callsOf(repaired).filter(isSingle(messages))) {
          const first = firstRealResult(messages, callId);
          if (first !== undefined) same(kept.has(first), true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function callsOf(messages: readonly Message[]): readonly ToolCallPart[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
  );
}

function textsOf(messages: readonly Message[]): readonly string[] {
  const parts = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  return parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : []));
}

function isWhole({ json }: ToolCallPart): boolean {
  return !CUT_ARGUMENTS.includes(json);
}

/** Calls whose id stands for no other call of the history. */
function isSingle(messages: readonly Message[]): (one: ToolCallPart) => boolean {
  const all = callsOf(messages);
  return ({ callId }) => all.filter((other) => other.callId === callId).length === 1;
}

function firstRealResult(messages: readonly Message[], callId: string): Message | undefined {
  const from = messages.findIndex((message) => callsOf([message]).some((one) => one.callId === callId));
  return messages
    .slice(from)
    .find(
      (message) =>
        message.role === "tool" &&
        message.callId === callId &&
        !(message.isError === true && textOf(message) === INTERRUPTED_RESULT),
    );
}

function textOf({ content }: Message): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** What a provider would refuse, found by walking through the history the way a provider does. */
function problemsOf(messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  let expected: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (expected.shift() !== message.callId) problems.push(`a result of ${message.callId} out of place`);
      continue;
    }
    if (expected.length > 0) problems.push(`no result of ${expected.join(", ")}`);
    expected = callsOf([message]).map(({ callId }) => callId);
    if (!callsOf([message]).every(isWhole)) problems.push("a call that was cut");
    if (message.role !== "assistant") continue;
    const { content } = message;
    const hasContent = content.some((part) => (part.type === "text" ? part.text !== "" : part.type !== "reasoning"));
    if (!hasContent) problems.push("an answer without content");
    if (message.isPartial === true && content.at(-1)?.type === "reasoning") problems.push("thinking that is left over");
  }
  if (expected.length > 0) problems.push(`no result of ${expected.join(", ")}`);
  return problems;
}
