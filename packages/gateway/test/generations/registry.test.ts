import type { Clock } from "fullstop";
import { createGate, createScriptedEngine, finish, reasoning, text } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import type { GenerationSpec } from "../../src/generations/live-generation.ts";
import { DEFAULT_BOUNDS } from "../../src/generations/bounds.ts";
import { GenerationRegistry } from "../../src/generations/registry.ts";

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

/** A clock that stands still until it is moved. */
function createClock(): Clock & { move(milliseconds: number): void } {
  let time = 0;
  let waiting: { readonly at: number; readonly callback: () => void }[] = [];
  return {
    now: () => time,
    after(milliseconds, callback) {
      const entry = { at: time + milliseconds, callback };
      waiting.push(entry);
      return () => (waiting = waiting.filter((each) => each !== entry));
    },
    move(milliseconds) {
      time += milliseconds;
      const due = waiting.filter(({ at }) => at <= time);
      waiting = waiting.filter(({ at }) => at > time);
      for (const { callback } of due) callback();
    },
  };
}

/** Whether garbage is collected, sooner or later. */
async function isFreed(reference: WeakRef<object>): Promise<boolean> {
  for (let count = 0; count < 100 && reference.deref() !== undefined; count += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return reference.deref() === undefined;
}

describe("a registry of generations", () => {
  it("remembers the last thousand that have ended, and no more", async () => {
    const registry = new GenerationRegistry();
    const ids = Array.from({ length: 1002 }, (_, index) => `g${index}`);
    for (const id of ids) await registry.start(specOf(id, [text("Hi"), finish()])).ended;
    await registry.stopAll("shutdown");
    expect(registry.live()).toEqual([]);
    expect(registry.find("g0")).toBeUndefined();
    expect(registry.find("g1")).toBeUndefined();
    expect(registry.find("g2")?.signal?.reason).toBe("natural_completion");
    expect(registry.find("g1001")?.signal?.reason).toBe("natural_completion");
  });

  it("remembers no more bytes than it may, but always the last answer", async () => {
    const registry = new GenerationRegistry({ ...DEFAULT_BOUNDS, keptBytes: 10_000 });
    const known = () => ["a", "b", "c", "d"].filter((id) => registry.find(id) !== undefined);
    const end = (id: string, length: number) => registry.start(specOf(id, [text("x".repeat(length)), finish()])).ended;
    await end("a", 2000);
    await end("b", 2000);
    expect(known()).toEqual(["a", "b"]);
    await end("c", 2000);
    expect(known()).toEqual(["b", "c"]);
    await end("d", 20_000);
    expect(known()).toEqual(["d"]);
    await end("a", 10);
    expect(known()).toEqual(["a"]);
  });

  it("forgets each after a while, also when nothing else happens", async () => {
    const clock = createClock();
    const registry = new GenerationRegistry({ ...DEFAULT_BOUNDS, keptMilliseconds: 100 }, clock);
    const known = () => ["a", "b"].filter((id) => registry.find(id) !== undefined);
    await registry.start(specOf("a", [finish()])).ended;
    clock.move(60);
    await registry.start(specOf("b", [finish()])).ended;
    clock.move(39);
    expect(known()).toEqual(["a", "b"]);
    clock.move(1);
    expect(known()).toEqual(["b"]);
    clock.move(60);
    expect(known()).toEqual([]);
  });

  it("does not keep what was asked", async () => {
    const registry = new GenerationRegistry();
    const start = () => {
      const spec = specOf("a", [text("Hi"), finish()]);
      registry.start(spec);
      return new WeakRef(spec.request.messages);
    };
    const asked = start();
    await registry.find("a")?.ended;
    expect(await isFreed(asked)).toBe(true);
    expect(registry.find("a")?.log.length).toBeGreaterThan(1);
  });

  it("ends an answer that is larger than it may be, whatever it is made of", async () => {
    const registry = new GenerationRegistry({ ...DEFAULT_BOUNDS, answerBytes: 5000 });
    const piece = "x".repeat(500);
    const many: readonly (readonly [string, ScriptStep])[] = [
      ["text", text(piece)],
      ["thinking", reasoning(piece)],
      ["arguments", { type: "tool-call-delta", callId: "a", json: piece }],
      ["parts", { type: "opaque", format: "gemini", value: { piece } }],
      ["nothing", text("")],
    ];
    for (const [id, step] of many) {
      const begin: ScriptStep = { type: "tool-call-start", callId: "a", name: "f" };
      const script = [begin, ...Array.from({ length: 200 }, () => step), finish()];
      const generation = registry.start(specOf(id, script));
      const end = id === "nothing" ? { reason: "natural_completion" } : { reason: "budget_exceeded", detail: "size" };
      expect([id, await generation.ended]).toMatchObject([id, end]);
      expect(generation.log.length).toBeLessThan(70);
      expect(generation.bytes).toBeLessThan(5000 + 2 * 1200);
    }
  });

  it("stops all that run, and waits for their ends", async () => {
    const registry = new GenerationRegistry();
    const gate = createGate();
    const started = ["a", "b"].map((id) => registry.start(specOf(id, [text("Hi"), gate.pass, finish()])));
    await gate.reached;
    expect(registry.live()).toEqual(started);
    await registry.stopAll("shutdown");
    expect(started.map(({ signal }) => [signal?.reason, signal?.detail])).toEqual([
      ["cancelled", "shutdown"],
      ["cancelled", "shutdown"],
    ]);
    gate.open();
  });

  it("ends one that is stopped while its thinking is skipped, for the reason of the stop", async () => {
    const registry = new GenerationRegistry();
    const gate = createGate();
    const generation = registry.start(specOf("a", [reasoning("Hm"), gate.pass, text("Hi"), finish()]));
    await gate.reached;
    expect(generation.skipThinking()).toBe(true);
    expect(generation.skipThinking()).toBe(false);
    generation.stop("new_message");
    expect(await generation.ended).toMatchObject({ reason: "cancelled", detail: "new_message" });
    expect(generation.log.all().map(({ type }) => type)).not.toContain("text");
    gate.open();
  });

  it("tells an engine that breaks its promises as an error, and goes on", async () => {
    const registry = new GenerationRegistry();
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
    const generation = registry.start({
      ...spec,
      targets: [{ ...spec.targets[0]!, engine: broken, appliesRules: true }],
    });
    expect(await generation.ended).toMatchObject({ reason: "error_termination", message: "Oops" });
    expect(generation.log.all().at(-1)?.type).toBe("finish");
    expect(registry.live()).toEqual([]);
  });
});
