import { cancelledSignal } from "fullstop";
import type { GenerationEvent } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import type { GenerationStore } from "fullstop/control";
import { reasoning, text } from "fullstop/testing";
import { describe, expect, it, vi } from "vitest";
import type { Generations } from "../../src/generations/generations.ts";
import { stopGeneration } from "../../src/generations/stop.ts";
import type { GenerationView } from "../../src/generations/view.ts";
import { openGenerations } from "../support/generations.ts";

const PATIENCE = 50;

/** A generation that somebody else holds, who does nothing unless a test says so, as it is seen from here. */
async function openElsewhere(events: readonly GenerationEvent[]): Promise<{
  readonly generations: Generations;
  readonly store: GenerationStore;
  readonly seen: GenerationView;
}> {
  const store = createMemoryStore();
  const generations = await openGenerations({}, store);
  await store.open({ id: "g", owner: "alice", model: "m", startedAt: 1, holder: "other" });
  await store.append("g", 0, events);
  const seen = await generations.find("g");
  if (seen === undefined) throw new Error("it is not there");
  return { generations, store, seen };
}

describe("a stop of what another replica generates", () => {
  it("is told that it had ended, if it did so after it was looked for", async () => {
    const { generations, store, seen } = await openElsewhere([text("Done")]);
    await store.finish("g", cancelledSignal("disconnect"));
    expect(await stopGeneration(generations, seen, { mode: "stop", reason: "user" })).toMatchObject({
      result: "already_finished",
      text: "Done",
      replica: "other",
      signal: { detail: "disconnect" },
    });
  });

  it("is told that it is not there, if it was forgotten after it was looked for", async () => {
    const { generations, store, seen } = await openElsewhere([text("Done")]);
    await store.finish("g", cancelledSignal());
    await store.delete("g");
    expect(await stopGeneration(generations, seen, { mode: "stop", reason: "user" })).toEqual({
      id: "g",
      result: "not_found",
      replica: "one",
    });
  });

  it("is told that nobody does it, and leaves the order", async () => {
    const { generations, store, seen } = await openElsewhere([text("Half")]);
    const order = { mode: "stop", reason: "user" } as const;
    expect(await stopGeneration(generations, seen, order, PATIENCE)).toMatchObject({
      result: "unreachable",
      text: "Half",
    });
    expect(await store.orders("g")).toEqual([order]);
  });

  it("is told that nobody knows what came of it, if nothing more is heard of what still runs", async () => {
    const { generations, seen } = await openElsewhere([text("Half")]);
    const { id, owner, model, replica, startedAt, events } = seen;
    const unheard: GenerationView = {
      id,
      owner,
      model,
      replica,
      startedAt,
      events,
      phase: undefined,
      held: "",
      labels: {},
      answeredBy: undefined,
      signal: undefined,
      read: () => seen.read(),
      async *follow() {},
    };
    expect(await stopGeneration(generations, unheard, { mode: "stop", reason: "user" }, PATIENCE)).toMatchObject({
      result: "unreachable",
      text: "Half",
    });
  });

  it.each([
    ["has answered", [reasoning("Hm"), text("Yes")], [], "not_thinking"],
    ["answers before it is skipped", [reasoning("Hm")], [text("Yes")], "not_thinking"],
    ["goes on thinking", [reasoning("Hm")], [reasoning("Hm")], "not_thinking"],
    ["is skipped", [reasoning("Hm")], [{ type: "reasoning", text: "", skipped: true }], "stopped"],
    ["says nothing", [reasoning("Hm")], [], "unreachable"],
  ] as const)("that wants to skip thinking, where the other %s", async (_what, before, after, result) => {
    const { generations, store, seen } = await openElsewhere(before);
    const stopping = stopGeneration(generations, seen, { mode: "skip-thinking", reason: "user" }, PATIENCE);
    await store.append("g", before.length, after);
    expect((await stopping).result).toBe(result);
  });

  it.each([
    ["was stopped instead", [], "already_finished"],
    ["was skipped and stopped", [{ type: "reasoning", text: "", skipped: true }], "stopped"],
  ] as const)("that wants to skip thinking, where the other %s", async (_what, after, result) => {
    const { generations, store, seen } = await openElsewhere([reasoning("Hm")]);
    const stopping = stopGeneration(generations, seen, { mode: "skip-thinking", reason: "user" });
    await vi.waitFor(async () => expect(await store.orders("g")).toHaveLength(1));
    await store.append("g", 1, after);
    await store.finish("g", cancelledSignal("shutdown"));
    expect((await stopping).result).toBe(result);
  });
});
