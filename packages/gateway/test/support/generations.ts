import type { GenerationRequest } from "fullstop";
import { createMemoryStore, joinReplicas } from "fullstop/control";
import type { GenerationStore } from "fullstop/control";
import { createScriptedEngine } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { onTestFinished } from "vitest";
import { Generations } from "../../src/generations/generations.ts";
import type { GenerationsOptions } from "../../src/generations/generations.ts";
import type { LiveGeneration } from "../../src/generations/live-generation.ts";
import type { Target } from "../../src/models/model-router.ts";
import { NO_OBSERVER } from "../../src/operations/observer.ts";

/** Opens the generations of a replica, without a server, until the end of the test. */
export async function openGenerations(
  options: Partial<GenerationsOptions> = {},
  store: GenerationStore = createMemoryStore(),
): Promise<Generations> {
  const replica = await joinReplicas({ store, name: "one" });
  onTestFinished(() => replica.close());
  return new Generations({
    store,
    replica,
    observer: NO_OBSERVER,
    answerBytes: 1_000_000,
    keepsContent: true,
    onStoreFailure: (error) => {
      throw error;
    },
    ...options,
  });
}

/** A model that answers by a script. */
export function targetOf(
  answer: (request: GenerationRequest) => readonly ScriptStep[],
  parts: Partial<Target> = {},
): Target {
  return { engine: createScriptedEngine(answer), model: "m", provider: "p", appliesRules: false, ...parts };
}

/** Asks some models, one after the other, about a thousand tokens. */
export async function startWith(targets: readonly Target[]): Promise<LiveGeneration> {
  const generations = await openGenerations();
  return generations.start({
    id: "g",
    owner: "me",
    request: { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "word ".repeat(800) }] }] },
    settings: { rules: {}, onDisconnect: "continue" },
    targets,
  });
}
