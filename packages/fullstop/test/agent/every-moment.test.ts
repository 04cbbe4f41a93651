import { describe, expect, it } from "vitest";
import { createAgentRun, defineTool } from "../../src/agent/index.ts";
import type { AgentEvent, AgentOptions } from "../../src/agent/index.ts";
import type { GenerationRequest, Message } from "../../src/index.ts";
import { call, createScriptedEngine, finish, reasoning, start, text, usage } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { show } from "../support/viewer.ts";

const cut = finish("token_limit_reached");
const broken = finish("error_termination", { detail: "truncated" });
const search = { type: "opaque", format: "anthropic-messages", value: { type: "server_tool_use", id: "s" } } as const;

const scripts: Readonly<Record<string, readonly (readonly ScriptStep[])[]>> = {
  "a plain answer": [[start(), reasoning("Hm."), text("Hello "), text("world"), usage(1, 2), finish()]],
  "an answer that is cut again and again": [
    [text("one two"), cut],
    [text("one two three"), cut],
    [text("three four"), cut],
    [text(" five"), finish()],
  ],
  tools: [
    [text("Let me."), ...call("a", "add", { x: 1 }), ...call("b", "add", { x: 2 }), finish("tool_calls")],
    [text("Done"), finish()],
  ],
  "a call that is cut": [
    [
      text("Let me."),
      { type: "tool-call-start", callId: "a", name: "add" },
      { type: "tool-call-delta", callId: "a", json: '{"x"' },
      cut,
    ],
    [text("Sorry"), finish()],
  ],
  "a refusal, then another model": [
    [text("I can"), finish("content_filtered")],
    [text("Sure"), finish()],
  ],
  "a refusal in a continuation": [
    [text("Hello wor"), cut],
    [text("Hello world"), cut],
    [text("ld"), finish("content_filtered")],
    [text("Sure"), finish()],
  ],
  "a pause": [
    [text("Looking. "), search, finish("paused")],
    [text("Found."), finish()],
  ],
  "a cut stream": [
    [text("Hello wor"), broken],
    [text("Hello world"), finish()],
  ],
  "nothing, then something": [[finish()], [reasoning("Hm"), finish()], [text("Here"), finish()]],
  "a malformed call in a continuation": [
    [text("Hello wor"), broken],
    [finish("error_termination", { detail: "malformed_tool_call" })],
    [text("ld."), finish()],
  ],
};

const request: GenerationRequest = {
  model: "m",
  messages: [
    { role: "user", content: [{ type: "text", text: "Earlier?" }] },
    { role: "assistant", content: [{ type: "text", text: "Earlier." }] },
    { role: "user", content: [{ type: "text", text: "Hi" }] },
  ],
};

interface Played {
  readonly events: readonly AgentEvent[];
  readonly shown: string;
  readonly problems: readonly string[];
}

/** Plays a script, stops the run at one of its events, and looks for anything that is not as it has to be. */
async function play(name: string, options: Partial<AgentOptions>, stopAt: number): Promise<Played> {
  const add = defineTool({ name: "add", execute: (input) => JSON.stringify(input) });
  const engine = createScriptedEngine(scripts[name]!);
  const run = createAgentRun({
    engine,
    request,
    tools: [add],
    settings: { retryMilliseconds: 0 },
    clock: createManualClock(),
    ...options,
  });
  run.followUp("And then?", "f1");
  const events: AgentEvent[] = [];
  let shown = "";
  let surviving: readonly string[] | undefined;
  for await (const event of run) {
    events.push(event);
    shown = show(shown, event);
    if (events.length === stopAt) surviving = run.stop().surviving.map(({ id }) => id);
  }
  const result = await run.result();
  const problems: string[] = [];
  if (shown !== result.text) problems.push(`shown ${JSON.stringify(shown)}, result ${JSON.stringify(result.text)}`);
  if (events.filter(({ type }) => type === "end").length !== 1 || events.at(-1)?.type !== "end") problems.push("end");
  const queued = result.queued.map(({ id }) => id);
  if (surviving !== undefined && surviving.join() !== queued.join())
    problems.push(`receipt ${surviving.join()}, queued ${queued.join()}`);
  const delivered = events.filter(({ type }) => type === "message-delivered").length;
  const carried = engine.requests.filter(({ messages }) => said(messages).includes("And then?")).length > 0;
  if (delivered > 0 !== carried) problems.push("delivered without a request");
  problems.push(...unanswered(result.messages));
  // What no dialect can write throws here.
  for (const format of Object.values(WIRE_FORMATS)) {
    format.encodeRequest({ ...request, maxOutputTokens: 9, messages: result.messages });
  }
  return { events, shown, problems };
}

/** Calls whose results do not follow them one by one. */
function unanswered(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, index) => {
    const calls = message.role === "assistant" ? message.content.filter(({ type }) => type === "tool-call") : [];
    const ids = calls.map((part) => (part.type === "tool-call" ? part.callId : ""));
    const answers = messages.slice(index + 1, index + 1 + ids.length);
    const answered = answers.map((answer) => (answer.role === "tool" ? answer.callId : answer.role));
    return answered.join() === ids.join() ? [] : [`calls ${ids.join()}, answers ${answered.join()}`];
  });
}

function said(messages: readonly Message[]): string {
  return JSON.stringify(messages);
}

describe.each(Object.keys(scripts))("%s", (name) => {
  const settings: Readonly<Record<string, Partial<AgentOptions>>> = {
    "as it is": {},
    "with another model": { fallback: { model: "other" } },
    "with a limit of its own": { request: { ...request, maxOutputTokens: 5 } },
    "with one turn": { limits: { maxTurns: 1 } },
    "with two turns": { limits: { maxTurns: 2 } },
    "with few tokens": { limits: { maxTokens: 30 } },
  };

  it.each(Object.keys(settings))("%s, stopped at any moment or never, leaves nothing amiss", async (setting) => {
    const whole = await play(name, settings[setting]!, 0);
    expect(whole.problems).toEqual([]);
    for (let stopAt = 1; stopAt <= whole.events.length; stopAt++) {
      const { problems } = await play(name, settings[setting]!, stopAt);
      expect({ stopAt, problems }).toEqual({ stopAt, problems: [] });
    }
  });
});
