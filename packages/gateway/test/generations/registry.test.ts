import { createGate, createScriptedEngine, finish, reasoning, text } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import type { GenerationSpec } from "../../src/generations/live-generation.ts";
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
    expect(await generation.skipThinking()).toBe(true);
    expect(await generation.skipThinking()).toBe(false);
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
