import { createGate, createScriptedEngine, finish, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { NO_WATCH, observeWith } from "../../src/operations/observer.ts";
import type { GenerationEnd, GenerationObserver } from "../../src/operations/observer.ts";
import { openGenerations } from "../support/generations.ts";

const engine = createScriptedEngine(() => [text("Hi"), finish()]);
const spec = {
  id: "a",
  owner: "me",
  request: { model: "m", messages: [] },
  settings: { rules: {}, onDisconnect: "stop" },
  targets: [{ engine, model: "m", provider: "p", appliesRules: false }],
} as const;

const broken = (): never => {
  throw new Error("Oops");
};

describe("several observers", () => {
  it.each<[string, GenerationObserver]>([
    ["at the start", { started: broken }],
    ["at the end", { started: () => ({ ...NO_WATCH, ended: broken }) }],
  ])("do without one that breaks %s, and the generation, too", async (_, observer) => {
    const ends: GenerationEnd[] = [];
    const errors: unknown[] = [];
    const other: GenerationObserver = { started: () => ({ ...NO_WATCH, ended: (end) => void ends.push(end) }) };
    const observed = observeWith([observer, other], (error) => errors.push(error));
    const generation = (await openGenerations({ observer: observed })).start(spec);
    expect(await generation.ended).toMatchObject({ reason: "natural_completion" });
    expect(generation.log.all().filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(errors).toEqual([new Error("Oops")]);
    expect(ends).toMatchObject([{ asked: { provider: "p", model: "m" }, failures: [], order: undefined }]);
  });

  it("are told of the order that counted", async () => {
    const ends: GenerationEnd[] = [];
    const gate = createGate();
    const slow = createScriptedEngine(() => [text("Hi"), gate.pass, finish()]);
    const observer: GenerationObserver = { started: () => ({ ...NO_WATCH, ended: (end) => void ends.push(end) }) };
    const generations = await openGenerations({ observer });
    const generation = generations.start({ ...spec, targets: [{ ...spec.targets[0], engine: slow }] });
    await gate.reached;
    await generation.carryOut({ mode: "finish-sentence", reason: "new_message" });
    generation.stop("user");
    generation.stop("shutdown");
    await generation.ended;
    gate.open();
    expect(ends[0]?.order).toMatchObject({ mode: "stop", detail: "user", phase: "answering" });
  });

  it("are told of an order only while the generation runs", async () => {
    const ends: GenerationEnd[] = [];
    const observer: GenerationObserver = { started: () => ({ ...NO_WATCH, ended: (end) => void ends.push(end) }) };
    const generation = (await openGenerations({ observer })).start(spec);
    await generation.ended;
    generation.stop("user");
    expect(ends).toHaveLength(1);
    expect(ends[0]?.order).toBeUndefined();
  });
});
