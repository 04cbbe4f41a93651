import { Registry, collectDefaultMetrics } from "prom-client";
import type { LlamaEngine } from "fullstop/llama";
import type { ModelRouter } from "../models/model-router.ts";
import type { RequestErrorKind } from "../request-error.ts";
import { createLabels } from "./labels.ts";
import { addLocalModels } from "./local-metrics.ts";
import { defineFamilies } from "./metric-families.ts";
import { NO_WATCH } from "./observer.ts";
import type { GenerationEnd, GenerationObserver, GenerationStart } from "./observer.ts";
import { stopOf } from "./stop-source.ts";

/** What one server counts and measures. */
export interface GatewayMetrics {
  /** All of it. Whoever has more to count adds it here: `new Counter({ …, registers: [registry] })`. */
  readonly registry: Registry;
  readonly observer: GenerationObserver;
  /** A request was refused before anything was generated. */
  refused(kind: RequestErrorKind): void;
  /** The store of generations could not do something. */
  storeFailed(): void;
  /** Adds what concerns the process and not the server, such as its memory. Once a process: some of it never ends. */
  addProcessMetrics(): void;
}

/** What is measured beside the generations themselves. */
export interface MetricsSources {
  readonly router: ModelRouter;
  /** The models on this machine, by name. */
  readonly localModels: ReadonlyMap<string, LlamaEngine>;
}

/** Creates the metrics of one server. They are in a registry of their own, so that servers do not mix. */
export function createMetrics({ router, localModels }: MetricsSources): GatewayMetrics {
  const registry = new Registry();
  const registers = [registry];
  const labels = createLabels(router);
  const families = defineFamilies(registers);
  addLocalModels(registers, localModels);

  function count(start: GenerationStart, model: string, end: GenerationEnd): void {
    const { signal, usage, failures, order } = end;
    families.generations.inc({ model, reason: signal.reason, detail: labels.detail(signal) });
    families.duration.observe({ model }, end.durationMilliseconds / 1000);
    if (end.firstOutputMilliseconds !== undefined) {
      families.firstOutput.observe({ model }, end.firstOutputMilliseconds / 1000);
    }
    if (usage !== undefined) {
      const estimated = String(usage.estimated ?? false);
      families.tokens.inc({ model, direction: "input", estimated }, usage.inputTokens);
      families.tokens.inc({ model, direction: "output", estimated }, usage.outputTokens);
    }
    for (const failure of failures) {
      families.upstreamErrors.inc({ provider: failure.provider, detail: labels.detail(failure.signal) });
    }
    const stop = stopOf(end);
    if (stop === undefined) return;
    families.stops.inc(stop);
    if (order !== undefined && signal.reason === "cancelled") {
      families.stopLatency.observe({ mode: order.mode }, order.latencyMilliseconds / 1000);
    }
    const limit = start.request.maxOutputTokens;
    if (limit !== undefined) {
      // Where nothing has come nobody has counted anything.
      families.tokensSaved.inc({ source: stop.source }, Math.max(0, limit - (usage?.outputTokens ?? 0)));
    }
  }

  return {
    registry,
    observer: {
      started(start) {
        const model = labels.model(start.request.model, start.targets[0]?.provider ?? "nobody");
        families.live.inc({ model });
        return {
          ...NO_WATCH,
          heldBack: (milliseconds) => families.holdBack.observe(milliseconds / 1000),
          ended(end) {
            families.live.dec({ model });
            count(start, model, end);
          },
        };
      },
    },
    refused: (kind) => families.refused.inc({ kind }),
    storeFailed: () => families.storeFailures.inc(),
    addProcessMetrics: () => collectDefaultMetrics({ register: registry }),
  };
}
