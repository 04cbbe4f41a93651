import { describe, expect, it } from "vitest";
import { createAgentRun } from "../../src/agent/index.ts";
import type { AgentOptions, AgentResult } from "../../src/agent/index.ts";
import { createDecision } from "../../src/decide/decision.ts";
import { definePolicy } from "../../src/decide/index.ts";
import type { GenerationRequest } from "../../src/index.ts";
import { createScriptedEngine, finish, text } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { show } from "../support/viewer.ts";

const cut = finish("token_limit_reached");
const broken = finish("error_termination", { detail: "truncated" });
const half = '{"city": "exam';
const whole = '{"city": "Paris"}';

const request: GenerationRequest = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "Tell me about Paris." }] }],
  output: { type: "json-schema", name: "city", schema: { type: "object" } },
};

interface Played {
  readonly result: AgentResult;
  readonly shown: string;
  readonly requests: readonly GenerationRequest[];
}

async function play(script: readonly (readonly ScriptStep[])[], options: Partial<AgentOptions> = {}): Promise<Played> {
  const engine = createScriptedEngine(script);
  const run = createAgentRun({ engine, request, settings: { retryMilliseconds: 0 }, ...options });
  let shown = "";
  for await (const event of run) shown = show(shown, event);
  return { result: await run.result(), shown, requests: engine.requests };
}

describe("an answer that has to be JSON", () => {
  it.each(["json", "json-schema"] as const)("of the type %s is asked for anew where it broke off", async (type) => {
    const output = type === "json" ? { type } : request.output;
    const script = [
      [text(half), broken],
      [text(whole), finish()],
    ];
    const { result, shown, requests } = await play(script, { request: { ...request, output } });
    expect(result).toMatchObject({ end: "completed", text: whole });
    expect(shown).toBe(whole);
    expect(requests[1]?.messages).toEqual(request.messages);
  });

  it("is asked for anew with a larger limit", async () => {
    const { result, shown, requests } = await play([
      [text(half), cut],
      [text(whole), finish()],
    ]);
    expect(result).toMatchObject({ end: "completed", text: whole });
    expect(shown).toBe(whole);
    expect(requests[1]).toMatchObject({ messages: request.messages, maxOutputTokens: 16_384 });
  });

  it("is left as it is, and marked, where the limit is the caller's own", async () => {
    const { result, shown } = await play([[text(half), cut]], { request: { ...request, maxOutputTokens: 5 } });
    expect(result).toMatchObject({ end: "incomplete", text: half, turns: 1 });
    expect(result.decisions[0]?.metadata).toMatchObject({ rule: "cut_by_limit", hint: "raise the output limit" });
    expect(result.messages.at(-1)).toMatchObject({ role: "assistant", isPartial: true });
    expect(shown).toBe(half);
  });

  it("does not become shorter by tries that bring less", async () => {
    const { result, shown } = await play([[text(half), broken], [text(half.slice(0, 4)), broken], [broken]]);
    expect(result).toMatchObject({ end: "failed", text: half });
    expect(result.messages.at(-1)).toMatchObject({ role: "assistant", isPartial: true });
    expect(shown).toBe(half);
  });

  it.each([
    { name: "the limit", first: cut },
    { name: "the line", first: broken },
  ])("is not complete where $name cut it and only a stop string comes in its place", async ({ first }) => {
    const { result, shown } = await play([[text(half), first], [finish("stop_sequence")]], {
      request: { ...request, stop: ["###"] },
    });
    expect(result).toMatchObject({ end: "incomplete", text: half });
    expect(result.messages.at(-1)).toMatchObject({ role: "assistant", isPartial: true });
    expect(shown).toBe(half);
  });

  it("is not asked for under the limit that has cut it, where a larger one is refused", async () => {
    const refused = finish("error_termination", { detail: "invalid_request" });
    const { result, shown } = await play([[text(half), cut], [refused]]);
    expect(result).toMatchObject({ end: "incomplete", text: half, turns: 2 });
    expect(result.messages.at(-1)).toMatchObject({ role: "assistant", isPartial: true });
    expect(shown).toBe(half);
  });

  it("is not put together from halves by a strategy that wants the rest", async () => {
    const strategies = [
      (signal: { readonly reason: string }) =>
        signal.reason === "token_limit_reached" ? createDecision("continue", "cut_by_limit", "Go on") : undefined,
    ];
    const script = [
      [text(half), cut],
      [text(whole), finish()],
    ];
    const { result, shown, requests } = await play(script, { policy: definePolicy({ strategies }) });
    expect(result).toMatchObject({ end: "completed", text: whole });
    expect(shown).toBe(whole);
    expect(requests[1]?.messages).toEqual(request.messages);
  });
});
