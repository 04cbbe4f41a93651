import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAgentRun, createRunState } from "../../src/agent/index.ts";
import type { AgentEvent, AgentOptions, AgentResult } from "../../src/agent/index.ts";
import { cutDraft } from "../../src/agent/replay-draft.ts";
import { LEAST_REPLAY } from "../../src/agent/replay.ts";
import { defineGuard } from "../../src/index.ts";
import type { GenerationRequest } from "../../src/index.ts";
import { createScriptedEngine, finish, reasoning, text } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { cutAt } from "../support/cuts.ts";
import { same } from "../support/same.ts";
import { show } from "../support/viewer.ts";

const request: GenerationRequest = { model: "main", maxOutputTokens: 5, messages: [] };
const cut = finish("token_limit_reached");

/** An answer of some six thousand characters that no line of repeats. */
const first = Array.from({ length: 200 }, (_, index) => `${index}. A line of its own, the ${index}th.\n`).join("");
const draft = first.slice(0, -15);

interface Played {
  readonly result: AgentResult;
  readonly events: readonly AgentEvent[];
  readonly requests: readonly GenerationRequest[];
  /** What a viewer who obeys the events has on the screen at the end. */
  readonly shown: string;
}

async function play(script: readonly (readonly ScriptStep[])[], options: Partial<AgentOptions> = {}): Promise<Played> {
  const engine = createScriptedEngine(script);
  const run = createAgentRun({ engine, request, ...options });
  const events: AgentEvent[] = [];
  let shown = "";
  for await (const event of run) {
    events.push(event);
    shown = show(shown, event);
  }
  return { result: await run.result(), events, requests: engine.requests, shown };
}

const rewindsOf = (events: readonly AgentEvent[]): readonly number[] =>
  events.flatMap((event) => (event.type === "rewind" ? [event.keep] : []));

describe("a run whose model starts over when asked for the rest", () => {
  it("shows nothing twice", async () => {
    const { result, shown, events } = await play([
      [text(draft), cut],
      [text(first), text("The end."), finish()],
    ]);
    expect(result).toMatchObject({ end: "completed", text: `${first}The end.` });
    expect(shown).toBe(result.text);
    expect(rewindsOf(events)).toEqual([]);
  });

  it("takes the screen back to where a second version differs, and goes on with that one", async () => {
    const second = `${draft.slice(0, 3000)}Now for something else.`;
    const { result, shown, events } = await play([
      [text(draft), cut],
      [reasoning("Again."), text(second.slice(0, 500)), text(second.slice(500)), finish()],
    ]);
    expect(result).toMatchObject({ end: "completed", text: second });
    expect(shown).toBe(second);
    expect(rewindsOf(events)).toEqual([3000]);
    expect(result.messages.at(-1)).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: draft.slice(0, 3000) },
        { type: "reasoning", text: "Again." },
        { type: "text", text: "Now for something else." },
      ],
    });
  });

  it("asks for the rest of the second version if that is cut too", async () => {
    const second = `${draft.slice(0, 3000)}Now for something`;
    const { result, shown, requests } = await play([
      [text(draft), cut],
      [text(second), cut],
      [text(" else."), finish()],
    ]);
    expect(requests[2]?.messages[0]).toEqual({ role: "assistant", content: [{ type: "text", text: second }] });
    expect([result.text, shown]).toEqual([`${second} else.`, `${second} else.`]);
  });

  it("keeps the first version if the limit cuts the second before it has said anything new", async () => {
    const { result, shown } = await play([
      [text(draft), cut],
      [text(draft.slice(0, 3000)), cut],
    ]);
    expect(result).toMatchObject({ end: "incomplete", text: draft, turns: 2 });
    expect(shown).toBe(draft);
  });

  it("asks again if the connection breaks amid what is repeated", async () => {
    const { result, shown } = await play(
      [
        [text(draft), cut],
        [text(draft.slice(0, 3000)), finish("error_termination", { detail: "truncated" })],
        [text(first.slice(-15)), finish()],
      ],
      { settings: { retryMilliseconds: 0 } },
    );
    expect([result.text, shown]).toEqual([first, first]);
  });

  it("keeps the first version if all that is new is a stop string", async () => {
    const { result, shown } = await play(
      [
        [text(draft), cut],
        [text(`${draft.slice(0, 3000)}STOP and more`), finish()],
      ],
      { stage: defineGuard({ stop: "STOP" }) },
    );
    expect([result.end, result.text, shown]).toEqual(["completed", draft, draft]);
  });

  it("has the same on the screen wherever it is stopped", async () => {
    const second = `${draft.slice(0, 3000)}Now for something else.`;
    const script = [
      [text(draft), cut],
      [...cutAt(second, [800, 1600, 2400, 3005, 3010]).map((piece) => text(piece)), finish()],
    ];
    const { events } = await play(script);
    for (const place of events.keys()) {
      const run = createAgentRun({ engine: createScriptedEngine(script), request });
      let shown = "";
      let seen = 0;
      for await (const event of run) {
        shown = show(shown, event);
        if (seen++ === place) run.stop();
      }
      same(shown, (await run.result()).text);
    }
  });

  it("takes nothing back for a token without text", async () => {
    const { events } = await play(
      [
        [text("138, 139, 14"), cut],
        [text(""), text("140"), finish()],
      ],
      { settings: { resumeAt: "word" } },
    );
    const place = events.findIndex(({ type }) => type === "rewind");
    expect(events.slice(place, place + 2)).toMatchObject([{ keep: 10 }, { event: text("140") }]);
  });

  it("gives the same for any cut, taken up at a character or at a word", async () => {
    const anySecond = fc.oneof(
      fc.integer({ min: LEAST_REPLAY, max: draft.length - 1 }).map((length) => `${draft.slice(0, length)}§ Else.`),
      fc.constantFrom(first, `${first}More.`),
    );
    const anyCuts = fc.array(fc.nat(first.length), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(anySecond, anyCuts, fc.constantFrom("character", "word"), async (second, cuts, resumeAt) => {
        const pieces = cutAt(second, cuts).map((piece) => text(piece));
        const { result, shown } = await play(
          [
            [text(draft), cut],
            [...pieces, finish()],
          ],
          { settings: { resumeAt } },
        );
        same([result.text, shown], [second, second]);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a draft that is cut back", () => {
  const state = {
    ...createRunState([]),
    draft: [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "one " },
      { type: "opaque", format: "gemini", value: {} },
      { type: "text", text: "two" },
      { type: "reasoning", text: "So." },
    ],
  } as const;

  it.each([
    [7, state.draft],
    [5, [...state.draft.slice(0, 3), { type: "text", text: "t" }]],
    [4, state.draft.slice(0, 2)],
    [2, [state.draft[0], { type: "text", text: "on" }]],
    [0, []],
  ])("to %i characters loses what stands behind them", (length, left) => {
    expect(cutDraft(state, length).draft).toEqual(left);
  });

  it("loses what was put aside behind it as well", () => {
    const spare = [{ type: "text", text: "thr" }] as const;
    expect(cutDraft({ ...state, spare }, 7).spare).toEqual(spare);
    expect(cutDraft({ ...state, spare }, 5).spare).toEqual([]);
  });
});
