import { describe, expect, it } from "vitest";
import { cutBack, cutBackToStop, cutBackToWord } from "../../src/agent/cut-back.ts";
import { createAgentRun, defineAgentSettings } from "../../src/agent/index.ts";
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
    expect(cutBackToWord(before)).toBe(after);
  });
});

describe("cutBackToStop", () => {
  it.each([
    ["The answer</ans", ["</answer>"], "The answer"],
    ["The answer</ans", ["xyz"], "The answer</ans"],
    ["The answer", ["</answer>"], "The answer"],
    ["The answer</ans", [], "The answer</ans"],
    // What is left ends as another one begins, or the same again.
    ["so xq", ["xyz", "qr"], "so "],
    ["no aaaa", ["aab"], "no "],
    ["</ans", ["</answer>"], ""],
    // Half a character is not for anybody to go on from.
    ["a \uD83D", ["STOP"], "a "],
    ["a S\uD83D", ["STOP"], "a "],
    // A string that is in there has not ended it.
    ["one STOP two S", ["STOP"], "one STOP two S"],
  ])("makes of %j before %j %j", (before, stop, after) => {
    expect(cutBackToStop(before, { stop })).toBe(after);
  });

  it("reads a long row of beginnings no more than twice", () => {
    expect(cutBackToStop("=".repeat(200_000), { stop: "=>" })).toBe("");
  });
});

describe("cutBack", () => {
  const settings = { ...defineAgentSettings(), stopRules: { stop: "</answer>" } };
  const hm = { type: "reasoning", text: "Hm." } as const;
  const search = { type: "opaque", format: "gemini", value: {} } as const;
  const said = (words: string): { readonly type: "text"; readonly text: string } => ({ type: "text", text: words });

  it.each([
    { whole: [], draft: [], spare: [] },
    { whole: [said("so</a"), hm], draft: [said("so</a"), hm], spare: [] },
    { whole: [hm, said("so</a")], draft: [hm, said("so")], spare: [said("</a")] },
    { whole: [hm, said("</a")], draft: [], spare: [hm, said("</a")] },
    { whole: [said("so"), search, said("</a")], draft: [said("so"), search], spare: [said("</a")] },
  ])("divides $whole into $draft and $spare", ({ whole, draft, spare }) => {
    expect(cutBack(whole, settings)).toEqual({ draft, spare });
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

describe("a run whose answer is cut in the middle of a character", () => {
  it.each([
    { by: "the limit", cut: finish("token_limit_reached") },
    { by: "the line", cut: finish("error_termination", { detail: "truncated" }) },
  ])("has the whole character written again, on the screen too: $by", async ({ cut }) => {
    const engine = createScriptedEngine([
      [text("Well done "), text("\ud83d"), cut],
      [text("🎉, Ann"), finish()],
    ]);
    const request = { model: "m", maxOutputTokens: 9, messages: [] };
    const run = createAgentRun({ engine, request, settings: { retryMilliseconds: 0 } });
    let shown = "";
    for await (const event of run) shown = show(shown, event);
    expect(shown).toBe("Well done 🎉, Ann");
    expect((await run.result()).text).toBe("Well done 🎉, Ann");
    expect(JSON.stringify(engine.requests[1])).not.toContain(String.raw`\ud83d`);
  });

  it("keeps the half where nothing comes in its place", async () => {
    const cut = finish("token_limit_reached");
    const engine = createScriptedEngine([[text("Well done \ud83d"), cut], [finish("content_filtered")]]);
    const request = { model: "m", maxOutputTokens: 9, messages: [] };
    expect((await createAgentRun({ engine, request }).result()).text).toBe("Well done \ud83d");
  });
});
