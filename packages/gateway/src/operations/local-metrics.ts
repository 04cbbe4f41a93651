import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import type { LlamaEngine } from "fullstop/llama";

/** Adds what the models on this machine are doing. They are asked when somebody reads the metrics. */
export function addLocalModels(registers: Registry[], localModels: ReadonlyMap<string, LlamaEngine>): void {
  const queue = new Gauge({
    name: "fullstop_local_generations",
    help: "Generations of models on this machine: running, or waiting for others to end.",
    labelNames: ["model", "state"],
    registers,
    collect() {
      for (const [model, engine] of localModels) {
        const { live, waiting } = engine.status();
        queue.set({ model, state: "running" }, live - waiting);
        queue.set({ model, state: "waiting" }, waiting);
      }
    },
  });
  const loaded = new Gauge({
    name: "fullstop_local_model_loaded",
    help: "Whether a model on this machine is in memory. It is loaded by its first request, and freed when idle.",
    labelNames: ["model"],
    registers,
    collect() {
      for (const [model, engine] of localModels) loaded.set({ model }, engine.status().isLoaded ? 1 : 0);
    },
  });
}
