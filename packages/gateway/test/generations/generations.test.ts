import type { GenerationEvent } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import type { GenerationStore } from "fullstop/control";
import { createGate, createScriptedEngine, finish, reasoning, text } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import type { GenerationSpec } from "../../src/generations/generation-spec.ts";
import { openGenerations } from "../support/generations.ts";

function specOf(id: string, script: readonly ScriptStep[]): GenerationSpec {
  const engine = createScriptedEngine(() => script);
  return {
    id,
    owner: "me",
    request: { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
    settings: { rules: {}, onDisconnect: "stop" },
    targets: [{ engine, model: "m", provider: "p", appliesRules: false }],
  };
}

function isSkip(event: GenerationEvent): boolean {
  return event.type === "reasoning" && event.skipped === true;
}

/** A store in which one thing that it is told waits at a gate. */
function holdingBack(
  what: "append" | "finish",
  isMeant: (event: GenerationEvent) => boolean,
  gate: ReturnType<typeof createGate>,
): GenerationStore {
  const store = createMemoryStore();
  const append: GenerationStore["append"] = async (id, offset, events) => {
    if (what === "append" && events.some(isMeant)) await gate.pass();
    return store.append(id, offset, events);
  };
  const close: GenerationStore["finish"] = async (...told) => {
    if (what === "finish") await gate.pass();
    return store.finish(...told);
  };
  const changed = new Map<string | symbol, unknown>([
    ["append", append],
    ["finish", close],
    // What comes of it at once could not be held back.
    ["immediate", undefined],
  ]);
  return new Proxy(store, {
    get: (target, name) => (changed.has(name) ? changed.get(name) : bound(target, name)),
  });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === "function" ? value.bind(target) : value;
}

describe("the generations of a replica", () => {
  it("are found while they run and afterwards, with all that they have written", async () => {
    const generations = await openGenerations();
    const gate = createGate();
    const generation = generations.start(specOf("a", [text("Hi"), gate.pass, finish()]));
    await gate.reached;
    expect(await generations.find("a")).toBe(generation);
    gate.open();
    await generation.ended;
    expect(generations.live()).toEqual([]);
    const found = (await generations.find("a"))!;
    expect(found.signal).toEqual(generation.signal);
    expect(await found.read()).toEqual(generation.log.all());
    expect(await generations.find("b")).toBeUndefined();
  });

  it("end where an answer is larger than one may be", async () => {
    const generations = await openGenerations({ answerBytes: 1000 });
    const pieces = Array.from({ length: 100 }, () => text("0123456789"));
    const generation = generations.start(specOf("a", [...pieces, finish()]));
    expect(await generation.ended).toMatchObject({ reason: "budget_exceeded", detail: "size" });
    expect(generation.log.length).toBeLessThan(30);
  });

  it("keep no word of what was written where content is not kept", async () => {
    const generations = await openGenerations({ keepsContent: false });
    const generation = generations.start(specOf("a", [reasoning("Secret"), text("Also secret"), finish()]));
    await generation.ended;
    expect(JSON.stringify(generation.log.all())).toContain("Also secret");
    const kept = JSON.stringify(await (await generations.find("a"))!.read());
    expect(kept).not.toMatch(/secret/iu);
    expect(kept).toContain('"characters":11');
    expect(kept).toContain("natural_completion");
  });

  it("stops all that run, and waits for their ends", async () => {
    const generations = await openGenerations();
    const gate = createGate();
    const started = ["a", "b"].map((id) => generations.start(specOf(id, [text("Hi"), gate.pass, finish()])));
    await gate.reached;
    expect(generations.live()).toEqual(started);
    await generations.stopAll("shutdown");
    expect(started.map(({ signal }) => [signal?.reason, signal?.detail])).toEqual([
      ["cancelled", "shutdown"],
      ["cancelled", "shutdown"],
    ]);
    gate.open();
  });

  it("ends one that is stopped while its thinking is skipped, for the reason of the stop", async () => {
    const generations = await openGenerations();
    const gate = createGate();
    const generation = generations.start(specOf("a", [reasoning("Hm"), gate.pass, text("Hi"), finish()]));
    await gate.reached;
    expect(await generation.carryOut({ mode: "skip-thinking", reason: "user" })).toBe(true);
    expect(await generation.carryOut({ mode: "skip-thinking", reason: "user" })).toBe(false);
    generation.stop("new_message");
    expect(await generation.ended).toMatchObject({ reason: "cancelled", detail: "new_message" });
    expect(generation.log.all().map(({ type }) => type)).not.toContain("text");
    gate.open();
  });

  it("confirms a skip of thinking when it is recorded, and not before", async () => {
    const written = createGate();
    const generations = await openGenerations({}, holdingBack("append", isSkip, written));
    const thinking = createGate();
    const generation = generations.start(specOf("a", [reasoning("Hm"), thinking.pass, text("Hi"), finish()]));
    await thinking.reached;
    let isConfirmed = false;
    const skipping = generation.carryOut({ mode: "skip-thinking", reason: "user" }).then((outcome) => {
      isConfirmed = true;
      return outcome;
    });
    await written.reached;
    expect(isConfirmed).toBe(false);
    written.open();
    expect(await skipping).toBe(true);
    thinking.open();
  });

  it("does not confirm a skip of thinking that comes while its end is recorded", async () => {
    const ending = createGate();
    const generations = await openGenerations(
      { answerBytes: 100 },
      holdingBack("finish", () => true, ending),
    );
    const generation = generations.start(specOf("a", [reasoning("Hm".repeat(100)), createGate().pass, finish()]));
    await ending.reached;
    const skipping = generation.carryOut({ mode: "skip-thinking", reason: "user" });
    ending.open();
    expect(await skipping).toBe(false);
    expect((await generation.ended).reason).toBe("budget_exceeded");
    expect(generation.log.all().some(isSkip)).toBe(false);
  });

  it("tells an engine that breaks its promises as an error, and goes on", async () => {
    const generations = await openGenerations();
    const broken = createScriptedEngine(
      () => [
        text("Hi"),
        () => {
          throw new Error("Oops");
        },
      ],
      { isSealed: false },
    );
    const spec = specOf("a", []);
    const generation = generations.start({
      ...spec,
      targets: [{ ...spec.targets[0]!, engine: broken, appliesRules: true }],
    });
    expect(await generation.ended).toMatchObject({ reason: "error_termination", message: "Oops" });
    expect(generation.log.all().at(-1)?.type).toBe("finish");
    expect(generations.live()).toEqual([]);
  });
});
