import { describe, expect, it } from "vitest";
import { cutBackToWord } from "../../src/agent/cut-back.ts";
import { createAgentRun } from "../../src/agent/index.ts";
import { createScriptedEngine, finish, text } from "../../src/testing/index.ts";
import { show } from "../support/viewer.ts";

describe("cutBackToWord", () => {
  it.each([
    ["138, 139, 14", "138, 139, "],
    ["138, 139, ", "138, 139, "],
    ["one\ntwo\nthr", "one\ntwo\n"],
    ["alone", "alone"],
    ["", ""],
    ["An emoji 👩‍👧", "An emoji "],
    [`A long one: ${"x".repeat(41)}`, `A long one: ${"x".repeat(41)}`],
  ])("makes of %j %j", (before, after) => {
    expect(cutBackToWord([{ type: "text", text: before }])).toEqual([{ type: "text", text: after }]);
  });

  it("does not touch what is no text", () => {
    const parts = [{ type: "reasoning", text: "so far" }] as const;
    expect(cutBackToWord(parts)).toEqual(parts);
    expect(cutBackToWord([])).toEqual([]);
  });
});

describe("a run that takes cut answers up at a word", () => {
  const request = { model: "main", maxOutputTokens: 5, messages: [] };
  const cut = finish("token_limit_reached");

  it("takes the last word back, on the screen too, and lets the model write it again", async () => {
    const engine = createScriptedEngine([
      [text("138, 139, 14"), cut],
      [text("140, 141"), finish()],
    ]);
    const run = createAgentRun({ engine, request, settings: { resumeAt: "word" } });
    let shown = "";
    for await (const event of run) shown = show(shown, event);
    expect((await run.result()).text).toBe("138, 139, 140, 141");
    expect(shown).toBe("138, 139, 140, 141");
  });

  it("goes on behind the last character otherwise", async () => {
    const engine = createScriptedEngine([
      [text("138, 139, 14"), cut],
      [text("0, 141"), finish()],
    ]);
    const run = createAgentRun({ engine, request });
    for await (const _ of run);
    expect((await run.result()).text).toBe("138, 139, 140, 141");
  });

  it("is refused where it is neither", () => {
    const settings = { resumeAt: "line" } as never;
    expect(() => createAgentRun({ engine: createScriptedEngine([]), request, settings })).toThrow(
      /resumeAt must be "character" or "word", got "line"/u,
    );
  });
});
