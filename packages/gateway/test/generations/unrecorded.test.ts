import { createMemoryStore } from "fullstop/control";
import type { GenerationStore } from "fullstop/control";
import { createGate, finish, text } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { describe, expect, it, vi } from "vitest";
import type { GenerationSpec } from "../../src/generations/generation-spec.ts";
import type { Generations } from "../../src/generations/generations.ts";
import { openGenerations, targetOf } from "../support/generations.ts";

/** A store that can be away: then it takes nothing, and knows what it knew. */
function createStoreWithOutages() {
  const store = createMemoryStore();
  const state = { isAway: false };
  const refuse = (): Promise<never> => Promise.reject(new Error("away"));
  const away: Readonly<Partial<GenerationStore>> = { open: refuse, append: refuse, finish: refuse };
  const proxy = new Proxy<GenerationStore>(store, {
    get(target, name) {
      if (name === "immediate") return undefined;
      const found: unknown = Reflect.get(state.isAway && name in away ? away : target, name);
      return typeof found === "function" ? (found.bind(target) as unknown) : found;
    },
  });
  return { store: proxy, state };
}

function specOf(id: string, script: readonly ScriptStep[]): GenerationSpec {
  return {
    id,
    owner: "me",
    request: { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
    settings: { rules: {}, onDisconnect: "continue" },
    targets: [targetOf(() => script)],
  };
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `g${index}`);

/** Lets answers come and end. */
async function answer(generations: Generations, ids: readonly string[], said: string): Promise<void> {
  for (const id of ids) await generations.start(specOf(id, [text(said), finish()])).ended;
}

describe("answers that end while the store is away", () => {
  it("wait for it up to a number, the last ones, and whoever operates the server is told", async () => {
    const { store, state } = createStoreWithOutages();
    const failures: string[] = [];
    const generations = await openGenerations({ onStoreFailure: (error) => failures.push(String(error)) }, store);
    state.isAway = true;
    await answer(generations, names(1_010), "Hello");
    await vi.waitFor(async () => expect(await generations.find("g9")).toBeUndefined());
    expect(await generations.find("g10")).toMatchObject({ id: "g10" });
    expect(failures.filter((failure) => failure.includes("the oldest are not recorded"))).toHaveLength(10);
    state.isAway = false;
    await vi.waitFor(async () => expect(await store.ended()).toHaveLength(1_000), { timeout: 10_000 });
  });

  it("wait for it up to a size", async () => {
    const { store, state } = createStoreWithOutages();
    const generations = await openGenerations({ onStoreFailure: () => undefined, answerBytes: 2 ** 25 }, store);
    state.isAway = true;
    // Each takes 8 MiB, and eight are a little more than all together may.
    await answer(generations, names(10), "x".repeat(2 ** 22));
    await vi.waitFor(async () => expect(await generations.find("g2")).toBeUndefined());
    expect(await generations.find("g3")).toMatchObject({ id: "g3" });
  });

  it("wait longest if the store knows that they run, and would never hear of their end", async () => {
    const { store, state } = createStoreWithOutages();
    const generations = await openGenerations({ onStoreFailure: () => undefined }, store);
    const gate = createGate();
    const known = generations.start(specOf("known", [text("Hello"), gate.pass, finish()]));
    await gate.reached;
    await vi.waitFor(async () => expect((await store.find("known"))?.events).toBe(2));
    state.isAway = true;
    gate.open();
    await known.ended;
    await answer(generations, names(1_005), "Hello");
    await vi.waitFor(async () => expect(await generations.find("g5")).toBeUndefined());
    state.isAway = false;
    await vi.waitFor(async () => expect((await store.find("known"))?.signal?.reason).toBe("natural_completion"), {
      timeout: 10_000,
    });
  });
});
