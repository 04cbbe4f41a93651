import { createMemoryStore, joinReplicas } from "fullstop/control";
import type { GenerationStore } from "fullstop/control";
import { onTestFinished } from "vitest";
import { Generations } from "../../src/generations/generations.ts";
import type { GenerationsOptions } from "../../src/generations/generations.ts";
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
