import { Counter, Gauge, Histogram } from "prom-client";
import type { Registry } from "prom-client";
import type { GenerationPhase } from "fullstop/control";
import type { ChatType } from "../place.ts";

/** What a stop has interrupted, in the words of the metric. Waiting for a model to begin is part of its thinking. */
const PHASES: Readonly<Record<GenerationPhase, "thinking" | "text" | "tool">> = {
  waiting: "thinking",
  thinking: "thinking",
  answering: "text",
  calling: "tool",
};

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What operators see of a bot. */
export class BotMetrics {
  readonly #stops: Counter<"phase" | "chat_type">;
  readonly #stopReasons: Counter<"reason">;
  readonly #stopSeconds: Histogram;
  readonly #firstSeconds: Histogram;
  readonly #ended: Counter<"end" | "chat_type">;
  readonly #running: Gauge;
  readonly #calls: Counter<"method" | "outcome">;
  readonly #updates: Counter<"kind">;
  readonly #skips: Counter;
  readonly #tokens: Counter<"direction">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#stops = new Counter({
      name: "bot_generation_stops_total",
      help: "Answers that somebody has stopped, by what they were doing",
      labelNames: ["phase", "chat_type"],
      registers,
    });
    this.#stopReasons = new Counter({
      name: "bot_generation_stop_reasons_total",
      help: "Answers that were stopped, by who or what did",
      labelNames: ["reason"],
      registers,
    });
    this.#stopSeconds = new Histogram({
      name: "bot_generation_stop_seconds",
      help: "From a stop to the end of the model's answer",
      buckets: SECONDS,
      registers,
    });
    this.#firstSeconds = new Histogram({
      name: "bot_generation_first_output_seconds",
      help: "From the beginning of an answer to the first thing that the model has said",
      buckets: SECONDS,
      registers,
    });
    this.#ended = new Counter({
      name: "bot_generations_total",
      help: "Answers that have ended, by how",
      labelNames: ["end", "chat_type"],
      registers,
    });
    this.#running = new Gauge({ name: "bot_generations_running", help: "Answers that are being written", registers });
    this.#calls = new Counter({
      name: "bot_message_calls_total",
      help: "Calls to Telegram about answers, by what came of them",
      labelNames: ["method", "outcome"],
      registers,
    });
    this.#updates = new Counter({
      name: "bot_updates_total",
      help: "Messages for the bot, by what was done about them",
      labelNames: ["kind"],
      registers,
    });
    this.#skips = new Counter({
      name: "bot_thinking_skips_total",
      help: "Answers whose thinking was skipped",
      registers,
    });
    this.#tokens = new Counter({
      name: "bot_tokens_total",
      help: "Tokens of requests and answers",
      labelNames: ["direction"],
      registers,
    });
  }

  began(): void {
    this.#running.inc();
  }

  /** The model has said something for the first time. */
  spoke(milliseconds: number): void {
    this.#firstSeconds.observe(milliseconds / 1_000);
  }

  /** Somebody has stopped an answer. */
  stopped(phase: GenerationPhase, chatType: ChatType, reason: string): void {
    this.#stops.inc({ phase: PHASES[phase], chat_type: chatType });
    this.#stopReasons.inc({ reason });
  }

  /** A model has heeded a stop. */
  heeded(milliseconds: number): void {
    this.#stopSeconds.observe(milliseconds / 1_000);
  }

  skipped(): void {
    this.#skips.inc();
  }

  ended(end: string, chatType: ChatType, usage: { readonly inputTokens: number; readonly outputTokens: number }): void {
    this.#running.dec();
    this.#ended.inc({ end, chat_type: chatType });
    this.#tokens.inc({ direction: "input" }, usage.inputTokens);
    this.#tokens.inc({ direction: "output" }, usage.outputTokens);
  }

  called(method: string, outcome: string): void {
    this.#calls.inc({ method, outcome });
  }

  received(kind: string): void {
    this.#updates.inc({ kind });
  }
}
