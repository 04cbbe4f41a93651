import { Counter, Gauge, Histogram } from "prom-client";
import type { Registry } from "prom-client";

/** Seconds. A stop is expected within milliseconds; one that waits for the end of a sentence takes longer. */
const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Seconds. Some models think for minutes. */
const LONG = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What is counted of generations and requests. */
export interface MetricFamilies {
  readonly generations: Counter<"model" | "reason" | "detail">;
  readonly live: Gauge<"model">;
  readonly stops: Counter<"source" | "phase">;
  readonly stopLatency: Histogram<"mode">;
  readonly holdBack: Histogram;
  readonly firstOutput: Histogram<"model">;
  readonly duration: Histogram<"model">;
  readonly tokens: Counter<"model" | "direction" | "estimated">;
  readonly tokensSaved: Counter<"source">;
  readonly upstreamErrors: Counter<"provider" | "detail">;
  readonly refused: Counter<"kind">;
  readonly storeFailures: Counter;
}

/** Defines the families in a registry. Their names and labels are part of what operators build on. */
export function defineFamilies(registers: Registry[]): MetricFamilies {
  return {
    generations: new Counter({
      name: "fullstop_generations_total",
      help: "Generations that have ended. A model that is not listed counts as provider/*.",
      labelNames: ["model", "reason", "detail"],
      registers,
    }),
    live: new Gauge({
      name: "fullstop_generations_live",
      help: "Generations that run.",
      labelNames: ["model"],
      registers,
    }),
    stops: new Counter({
      name: "fullstop_stops_total",
      help: "Generations that did not end by themselves: by whom (a person, a disconnect, a rule …), and while what.",
      labelNames: ["source", "phase"],
      registers,
    }),
    stopLatency: new Histogram({
      name: "fullstop_stop_latency_seconds",
      help: "From an order to stop to the end of the generation. finish-sentence waits for the end of a sentence.",
      labelNames: ["mode"],
      buckets: SHORT,
      registers,
    }),
    holdBack: new Histogram({
      name: "fullstop_hold_back_seconds",
      help:
        "How long text of a provider was held back because a stop string might have begun: from when its first " +
        "character came to when it left. Text that passed at once is not counted, nor are local models, which look " +
        "for stop strings themselves.",
      buckets: SHORT,
      registers,
    }),
    firstOutput: new Histogram({
      name: "fullstop_time_to_first_output_seconds",
      help: "From the start of a generation to its first thinking, text or tool call.",
      labelNames: ["model"],
      buckets: LONG,
      registers,
    }),
    duration: new Histogram({
      name: "fullstop_generation_duration_seconds",
      help: "From the start of a generation to its end, whoever ended it.",
      labelNames: ["model"],
      buckets: LONG,
      registers,
    }),
    tokens: new Counter({
      name: "fullstop_tokens_total",
      help: "Tokens of prompts (input) and of answers (output). Estimated ones are by length, about 4 characters each.",
      labelNames: ["model", "direction", "estimated"],
      registers,
    }),
    tokensSaved: new Counter({
      name: "fullstop_tokens_saved_total",
      help:
        "Tokens that early stops saved at most: the token limit of the request minus the output tokens. Requests " +
        "without a limit are not counted, and an answer might have ended before its limit.",
      labelNames: ["source"],
      registers,
    }),
    upstreamErrors: new Counter({
      name: "fullstop_upstream_errors_total",
      help: "Answers of providers and local models that ended in an error, those that another model made up for included.",
      labelNames: ["provider", "detail"],
      registers,
    }),
    refused: new Counter({
      name: "fullstop_requests_refused_total",
      help: "Requests that were refused before anything was generated; server_error is a mistake of the gateway.",
      labelNames: ["kind"],
      registers,
    }),
    storeFailures: new Counter({
      name: "fullstop_store_failures_total",
      help: "What the store of generations could not do. Generations go on without it and are recorded when it is back.",
      registers,
    }),
  };
}
