import { describe, expect, it } from "vitest";
import { createAgentRun, createClient, defineTool } from "../../src/agent/index.ts";
import type { AgentRun, AgentTool } from "../../src/agent/index.ts";
import { call, createScriptedEngine, finish, text } from "../../src/testing/index.ts";

const pieces = ["a", "b", "c", "d"];

function engine() {
  return createScriptedEngine([[...pieces.map((piece) => text(piece)), finish()]]);
}

const makers: readonly [name: string, make: () => AgentRun][] = [
  [
    "an agent",
    () =>
      createAgentRun({
        engine: engine(),
        request: { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
      }),
  ],
  ["a client", () => createClient({ providers: { engine: engine() } }).stream({ model: "m", messages: "Hi" })],
];

async function textsOf(run: AgentRun): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const event of run) {
    if (event.type === "generation" && event.event.type === "text") texts.push(event.event.text);
  }
  return texts;
}

describe.each(makers)("the events of %s", (_, make) => {
  it("all come to whoever asked for the result first, and then begins to read", async () => {
    const run = make();
    const result = run.result();
    expect(await textsOf(run)).toEqual(pieces);
    expect((await result).text).toBe("abcd");
  });

  it("are refused to whoever begins when some of them have been read for the result", async () => {
    const run = make();
    const result = run.result();
    // The next step, in which the result has begun to be read.
    await Promise.resolve();
    await Promise.resolve();
    await expect(textsOf(run)).rejects.toThrow("begin to read them before result() is called");
    expect((await result).text).toBe("abcd");
  });

  it("are read once, however often the result is asked for", async () => {
    const run = make();
    const [one, other] = await Promise.all([run.result(), run.result()]);
    expect([one.text, other.text, (await run.result()).text]).toEqual(["abcd", "abcd", "abcd"]);
  });
});

/** A tool that ends only when it is stopped, and by whom it was. */
function patientTool(): { readonly tool: AgentTool; readonly stoppedBy: Promise<unknown> } {
  let tell: (reason: unknown) => void = () => undefined;
  const stoppedBy = new Promise((resolve) => (tell = resolve));
  const execute = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<string> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        tell(signal.reason);
        resolve("stopped");
      });
    });
  return { tool: defineTool({ name: "wait", execute }), stoppedBy };
}

const ways: readonly [name: string, make: (tool: AgentTool) => AgentRun][] = [
  [
    "an agent",
    (tool) =>
      createAgentRun({
        engine: createScriptedEngine([[...call("1", "wait"), finish("tool_calls")]]),
        tools: [tool],
        request: { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
      }),
  ],
  [
    "a client",
    (tool) => {
      const calling = createScriptedEngine([[...call("1", "wait"), finish("tool_calls")]]);
      return createClient({ providers: { calling }, tools: [tool] }).stream({ model: "m", messages: "Hi" });
    },
  ],
];

/** Reads up to the beginning of a call, and begins to wait for what comes after it. */
async function waitForTool(run: AgentRun) {
  const events = run[Symbol.asyncIterator]();
  for (let step = await events.next(); step.done !== true && step.value.type !== "tool-start";) {
    step = await events.next();
  }
  const waiting = events.next();
  return { events, waiting };
}

it.each(ways)("a reader of %s who leaves at the end stops nothing that a tool has left behind", async (_, make) => {
  const signals: AbortSignal[] = [];
  const execute = (_input: unknown, { signal }: { readonly signal: AbortSignal }): void => void signals.push(signal);
  for await (const event of make(defineTool({ name: "wait", execute }))) if (event.type === "end") break;
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

describe.each(ways)("a reader of %s who leaves while nothing comes", (_, make) => {
  it("stops the run at once, and does not wait for the next event", async () => {
    const { tool, stoppedBy } = patientTool();
    const { events, waiting } = await waitForTool(make(tool));
    await events.return?.();
    expect(await stoppedBy).toBe("disconnect");
    await waiting;
  });

  it("stops it with an error as well, as a stream does that is destroyed", async () => {
    const { tool, stoppedBy } = patientTool();
    const { events, waiting } = await waitForTool(make(tool));
    await expect(events.throw?.(new Error("The reader has gone"))).rejects.toThrow("has gone");
    expect(await stoppedBy).toBe("disconnect");
    await waiting;
  });
});
