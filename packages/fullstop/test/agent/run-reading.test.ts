import { describe, expect, it } from "vitest";
import { createAgentRun, createClient } from "../../src/agent/index.ts";
import type { AgentRun } from "../../src/agent/index.ts";
import { createScriptedEngine, finish, text } from "../../src/testing/index.ts";

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
