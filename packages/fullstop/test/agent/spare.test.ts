import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAgentRun, defineTool } from "../../src/agent/index.ts";
import type { AgentOptions, AgentResult } from "../../src/agent/index.ts";
import { definePolicy } from "../../src/decide/index.ts";
import { defineGuard } from "../../src/index.ts";
import type { GenerationRequest } from "../../src/index.ts";
import { call, createScriptedEngine, finish, reasoning, text } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { cutAt } from "../support/cuts.ts";
import { firstMatch } from "../support/oracle.ts";
import { same } from "../support/same.ts";
import { show } from "../support/viewer.ts";

const stop = ["</answer>", "\n"];
const request: GenerationRequest = { model: "main", maxOutputTokens: 5, messages: [], stop };
const cut = finish("token_limit_reached");
const refused = finish("error_termination", { detail: "invalid_request" });
const broken = finish("error_termination", { detail: "truncated" });
const first = [text("The answer</ans"), cut];

interface Played {
  readonly result: AgentResult;
  readonly requests: readonly GenerationRequest[];
  /** What a viewer who obeys the events has on the screen at the end. */
  readonly shown: string;
}

/** Plays a run, whose engine looks for stop strings as engines do, and stops it at the n-th event if told to. */
async function play(
  script: Parameters<typeof createScriptedEngine>[0],
  options: Partial<AgentOptions> = {},
  stopAt?: number,
): Promise<Played> {
  const engine = createScriptedEngine(script);
  const settings = { retryMilliseconds: 0, ...options.settings };
  const stage = defineGuard({ stop: options.request?.stop ?? stop });
  const run = createAgentRun({ engine, request, stage, ...options, settings });
  let shown = "";
  let events = 0;
  for await (const event of run) {
    shown = show(shown, event);
    if (events++ === stopAt) run.stop();
  }
  return { result: await run.result(), requests: engine.requests, shown };
}

/** What is said by the only message of a result, and whether it is flagged. */
function messageOf({ messages }: AgentResult): unknown {
  return messages.map(({ content, ...others }) => ({ ...others, content }));
}

describe("the end of an answer that was taken back because a stop string may begin there", () => {
  interface Case {
    readonly name: string;
    readonly rest: readonly (readonly ScriptStep[])[];
    readonly text: string;
    readonly end: AgentResult["end"];
    readonly options?: Partial<AgentOptions>;
  }
  const cases: readonly Case[] = [
    {
      name: "is written again as something else",
      rest: [[text("</ansible>."), finish()]],
      text: "The answer</ansible>.",
      end: "completed",
    },
    {
      name: "gives way to something else",
      rest: [[text(" is 42."), finish()]],
      text: "The answer is 42.",
      end: "completed",
    },
    {
      name: "gives way to something else that breaks",
      rest: [[text(" is"), refused]],
      text: "The answer is",
      end: "failed",
    },
    {
      name: "belongs to a stop string",
      rest: [[text("</answer> more"), finish()]],
      text: "The answer",
      end: "completed",
    },
    {
      name: "belongs to a stop string that comes in pieces and is cut again",
      rest: [
        [text("</"), text("answe"), cut],
        [text("</answe"), text("r>."), finish()],
      ],
      text: "The answer",
      end: "completed",
    },
    {
      name: "belongs to a stop string of which nobody says which it was",
      rest: [[finish("stop_sequence")]],
      text: "The answer",
      end: "completed",
    },
    {
      name: "comes back where another stop string ends the rest",
      rest: [[text("\nMore"), finish()]],
      text: "The answer</ans",
      end: "incomplete",
    },
    {
      name: "comes back where the rest is empty again and again",
      rest: [[finish()], [text(" "), finish()], [finish()]],
      text: "The answer</ans",
      end: "incomplete",
    },
    {
      name: "comes back where the rest is a thought",
      rest: [[reasoning("Hm."), cut]],
      text: "The answer</ans",
      end: "incomplete",
    },
    { name: "comes back where the rest is refused", rest: [[refused]], text: "The answer</ans", end: "failed" },
    {
      name: "comes back where the rest breaks amid it",
      rest: [[text("</a"), refused]],
      text: "The answer</ans",
      end: "failed",
    },
    {
      name: "comes back where the connection breaks again and again",
      rest: [[text("</"), broken], [broken], [text("<"), broken], [broken], [broken], [broken]],
      text: "The answer</ans",
      end: "failed",
    },
    {
      name: "comes back where the limit is hit in the same place again and again",
      rest: [
        [text("</ans"), cut],
        [text("</a"), cut],
        [text("</ans"), cut],
      ],
      text: "The answer</ans",
      end: "incomplete",
    },
    {
      name: "comes back longer where the limit is hit later",
      rest: [
        [text("</answe"), cut],
        [text("</"), cut],
        [text("</ans"), cut],
      ],
      text: "The answer</answe",
      end: "incomplete",
    },
    {
      name: "comes back where no more turns are allowed",
      rest: [],
      text: "The answer</ans",
      end: "turn_limit",
      options: { limits: { maxTurns: 1 } },
    },
    {
      name: "comes back where the provider asks to wait too long",
      rest: [
        [
          text("</"),
          finish("error_termination", { detail: "rate_limited", metadata: { retryAfterMilliseconds: 1e9 } }),
        ],
      ],
      text: "The answer</ans",
      end: "failed",
    },
    {
      name: "comes back where a rule of the caller's throws",
      rest: [[text("</"), broken]],
      text: "The answer</ans",
      end: "failed",
      options: {
        policy: definePolicy({
          strategies: [
            ({ reason }) => {
              if (reason === "error_termination") throw new Error("a rule");
              return undefined;
            },
          ],
        }),
      },
    },
    {
      name: "gives way to a call",
      rest: [
        [...call("a", "look"), finish("tool_calls")],
        [text("Done"), finish()],
      ],
      text: "Done",
      end: "completed",
      options: { tools: [defineTool({ name: "look", execute: () => "nothing" })] },
    },
  ];

  it.each(cases)("$name", async ({ rest, text: expected, end, options }) => {
    const { result, shown } = await play([first, ...rest], options);
    expect([result.end, result.text, shown]).toEqual([end, expected, expected]);
    expect(result.messages.at(-1)?.content).toContainEqual({ type: "text", text: expected });
  });

  it.each(cases)("$name, or is all there wherever the run is stopped", async ({ rest, options }) => {
    for (let stopAt = 0; stopAt < 30; stopAt++) {
      const { result, shown } = await play([first, ...rest], options, stopAt);
      same(shown, result.text);
      const calls = result.messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool-call"));
      const isBroken = ["token_limit_reached", "cancelled"].includes(result.signals.at(-1)?.reason ?? "");
      // Nothing else has come in its place.
      if (isBroken && result.turns > 1 && calls.length === 0 && !result.text.startsWith("The answer ")) {
        same(result.text.startsWith("The answer</ans"), true);
      }
    }
  });

  it("is not shown to the model that is asked for the rest", async () => {
    const { requests } = await play([first, [finish()]]);
    expect(JSON.stringify(requests[1]?.messages)).not.toContain("</ans");
  });

  it("is flagged as cut in the history when it comes back", async () => {
    const { result } = await play([first, [refused]]);
    expect(messageOf(result)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "The answer</ans" }], isPartial: true },
    ]);
  });
});

describe("an answer that is nothing but the beginning of a stop string, perhaps", () => {
  const nothingElse = [reasoning("Hm."), text("</ans"), cut];

  it.each([
    { name: "turns out to be one", rest: [text("</answer> more"), finish()], expected: "" },
    { name: "turns out to be none", rest: [text("</ansible>"), finish()], expected: "</ansible>" },
    { name: "comes back where nothing else comes", rest: [refused], expected: "</ans" },
  ])("is asked for anew, and $name", async ({ rest, expected }) => {
    const { result, shown, requests } = await play([nothingElse, rest]);
    expect([result.text, shown]).toEqual([expected, expected]);
    expect(requests[1]?.messages).toEqual([]);
  });
});

describe("an answer for which the limit was raised", () => {
  const { maxOutputTokens: _, ...without } = request;

  it.each([
    { name: "thinks until the larger one", second: [reasoning("Hm."), cut], expected: "one two" },
    { name: "breaks before it is as long", second: [text("one t"), refused], expected: "one two" },
    { name: "breaks behind that", second: [text("one two three"), refused], expected: "one two three" },
    { name: "is another one", second: [text("One"), finish()], expected: "One" },
    { name: "is whole, and shorter", second: [text("one"), finish()], expected: "one" },
    { name: "is whole, and as far as a stop string", second: [text("one\n"), finish()], expected: "one" },
    { name: "is filtered", second: [text("one"), finish("content_filtered")], expected: "one" },
  ])("is not lost where the second $name", async ({ second, expected }) => {
    const { result, shown } = await play([[text("one two"), cut], second], { request: without });
    expect([result.text, shown]).toEqual([expected, expected]);
  });
});

describe("an answer that was put aside and is gone on from", () => {
  const { maxOutputTokens: _, ...without } = request;
  const whole = "one two three four";

  it.each([
    { name: "continued", second: broken, rest: " five six" },
    { name: "resumed", second: finish("paused"), rest: " five six" },
    { name: "continued before a stop string, perhaps", second: broken, rest: "</ansible>", tail: "</a" },
  ])("is on the screen before the rest is, where it is $name", async ({ second, rest, tail = "" }) => {
    const engine = createScriptedEngine([
      [text(whole + tail), cut],
      [text("one"), second],
      [text(rest), finish()],
    ]);
    const settings = { retryMilliseconds: 0 };
    const run = createAgentRun({ engine, request: without, stage: defineGuard({ stop }), settings });
    let shown = "";
    for await (const event of run) {
      shown = show(shown, event);
      const isText = event.type === "generation" && event.event.type === "text";
      if (isText && event.turn === 3) expect(whole + rest).toContain(shown);
    }
    expect([(await run.result()).text, shown]).toEqual([whole + rest, whole + rest]);
  });
});

describe("a word that was taken back to be written again", () => {
  const settings = { resumeAt: "word" } as const;

  it.each([
    { name: "nothing else comes", rest: [refused], expected: "138, 139, 14" },
    { name: "no more of it comes than its beginning", rest: [text("1"), refused], expected: "138, 139, 14" },
    {
      name: "the answer ends in a stop string before it",
      rest: [text("</answer>"), finish()],
      expected: "138, 139, 14",
    },
  ])("comes back where $name", async ({ rest, expected }) => {
    const { result, shown } = await play([[text("138, 139, 14"), cut], rest], { settings });
    expect([result.text, shown]).toEqual([expected, expected]);
  });

  it("comes back but for the stop string that has begun in it", async () => {
    const { result } = await play(
      [
        [text("so it is</ans"), cut],
        [text("</answer>"), finish()],
      ],
      { settings },
    );
    expect(result.text).toBe("so it is");
  });
});

describe("an answer that is cut anywhere, any number of times", () => {
  /** A text without repetitions of four characters, so that none is taken for a model that repeats itself. */
  const anyText = fc
    .array(fc.constantFrom("", "a", "b", " ", "ab", "aa", "a b"), { minLength: 1, maxLength: 12 })
    .map((pieces) => pieces.map((piece, index) => `${piece}${String.fromCodePoint(0x4e00 + index)}`).join(""));
  /** Stop strings out of the text, whole or with another last character. */
  const anyStop = (whole: string): fc.Arbitrary<string> =>
    fc
      .tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 7 }), fc.constantFrom("", "", "b", "x"))
      .map(([from, length, other]) => `${whole.slice(from, from + length - other.length)}${other}`)
      .filter((string) => string !== "");
  const anyCase = anyText.chain((whole) =>
    fc.record({
      whole: fc.constant(whole),
      stops: fc.array(anyStop(whole), { minLength: 1, maxLength: 3 }),
      /** How much each answer may write before it is cut. */
      lengths: fc.array(fc.nat(whole.length), { minLength: 1, maxLength: 3 }),
      pieces: fc.array(fc.nat(whole.length), { maxLength: 6 }),
      /** How the answer behind the last that is cut ends, after how many characters if not at the end. */
      last: fc.constantFrom("whole", "cut", "refused", "empty", "stopped"),
      lastLength: fc.nat(whole.length),
      resumeAt: fc.constantFrom("character", "word"),
      isRaised: fc.boolean(),
    }),
  );

  it("says what it would have said in one, up to the first stop string or to where it got", async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ whole, stops, lengths, pieces, last, lastLength, resumeAt, isRaised }) => {
        let turn = 0;
        let reached = 0;
        let isStopped = false;
        const write = ({ messages }: GenerationRequest): readonly ScriptStep[] => {
          const draft = messages[0]?.content.map((part) => ("text" in part ? part.text : "")).join("") ?? "";
          // A model goes on with what it is shown.
          same(whole.startsWith(draft), true);
          const isLast = turn >= lengths.length;
          const length = isLast
            ? last === "whole"
              ? whole.length
              : last === "empty"
                ? 0
                : lastLength
            : lengths[turn]!;
          turn += 1;
          const said = whole.slice(draft.length, draft.length + length);
          reached = Math.max(reached, draft.length + said.length);
          const steps = cutAt(said, pieces).map((piece) => text(piece));
          if (!isLast) return [...steps, cut];
          if (last === "stopped") return [...steps, () => void (isStopped = run.stop().stopped), cut];
          return [...steps, { whole: finish(), empty: finish(), refused, cut }[last]];
        };
        const engine = createScriptedEngine(write);
        const run = createAgentRun({
          engine,
          request: { model: "main", messages: [], stop: stops, ...(!isRaised && { maxOutputTokens: 5 }) },
          stage: defineGuard({ stop: stops }),
          // As many as there are to come, and none of those that are asked for in other words.
          policy: definePolicy({ bounds: { continue: lengths.length - (isRaised ? 1 : 0), modify_prompt: 0 } }),
          settings: { resumeAt },
        });
        let shown = "";
        for await (const event of run) shown = show(shown, event);
        const result = await run.result();
        const match = firstMatch(whole.slice(0, reached), stops);
        const expected = whole.slice(0, match?.start ?? reached);
        same([result.text, shown], [expected, expected]);
        if (match !== undefined && !isStopped) same(result.end, "completed");
      }),
      { numRuns: 2_000 },
    );
  });
});
