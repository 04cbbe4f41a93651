import { createAgentRun } from "fullstop/agent";
import type { AgentEvent } from "fullstop/agent";
import { createScriptedEngine, finish, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { AnswerView } from "../../src/chat/answer-view.ts";
import { paintNothing } from "../../src/colours.ts";

const page = { type: "citation", start: 0, end: 8, url: "https://one.example/", format: "openai-chat" } as const;

describe("the sources of an answer in a terminal", () => {
  it("are those it has when it is stopped", async () => {
    const engine = createScriptedEngine([[start(), text("One, two"), page, text(", three"), finish()]]);
    const run = createAgentRun({ engine, request: { model: "any", messages: [] } });
    const view = new AnswerView("text", paintNothing);
    let shown = "";
    for await (const event of run) {
      shown += view.show(event);
      if (shown.endsWith("three")) run.stop();
    }
    shown += view.end(await run.result());
    expect(shown).toBe("One, two, three [interrupted]\nSources:\n1. https://one.example/\n");
  });

  it.each([
    { name: "go with the text that is taken back", keep: 4, sources: [] },
    { name: "stay with the text that stays", keep: 8, sources: ["https://one.example/"] },
  ])("$name", ({ keep, sources }) => {
    const view = new AnswerView("text", paintNothing);
    const turn = { turn: 1, runId: "run" };
    const events: readonly AgentEvent[] = [
      { ...turn, type: "turn-start", model: "any", isNewAnswer: true },
      { ...turn, type: "generation", event: text("One, two, three") },
      { ...turn, type: "generation", event: page },
      { ...turn, type: "rewind", keep },
    ];
    for (const event of events) view.show(event);
    expect(view.sources.map(({ link }) => link)).toEqual(sources);
  });

  it("of what was said before tools were called stay, too", () => {
    const view = new AnswerView("text", paintNothing);
    const turn = { turn: 1, runId: "run" };
    const begin: AgentEvent = { ...turn, type: "turn-start", model: "any", isNewAnswer: true };
    const other = { ...page, url: "https://two.example/" };
    const said = [text("One, two"), page].map((event): AgentEvent => ({ ...turn, type: "generation", event }));
    const next = [text("And more"), other].map((event): AgentEvent => ({ ...turn, type: "generation", event }));
    const events = [begin, ...said, begin, ...next, { ...turn, type: "rewind", keep: 0 } as const];
    for (const event of events) view.show(event);
    expect(view.sources.map(({ link }) => link)).toEqual(["https://one.example/"]);
  });
});
