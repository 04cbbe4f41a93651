import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { checkRequest } from "../check-request.ts";
import type { Generation, RequestWarning } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import { stopOnLeave } from "../leave.ts";
import { runGeneration } from "../seal.ts";
import { failureSignal } from "./failure.ts";
import { LocalGeneration } from "./generation.ts";
import { createLateStage } from "./late-stage.ts";
import { planGeneration } from "./plan.ts";
import type { RequestDefaults } from "./plan.ts";
import type { LlamaRequest } from "./request.ts";
import type { Residency } from "./residency.ts";
import type { ResidentModel } from "./resident-model.ts";
import { warningsOfUnread } from "./unread-parts.ts";

/** What the runs of one engine share. */
export interface RunHost {
  readonly residency: Residency<ResidentModel>;
  readonly defaults: RequestDefaults;
  /** One for each run that is being read, to stop it with. */
  readonly live: Set<AbortController>;
}

/** One request to a local model: waits for the model and for a place in it, generates, and gives everything back. */
export class LocalRun implements Generation {
  readonly #host: RunHost;
  readonly #request: LlamaRequest;
  readonly #signal: AbortSignal;
  readonly #late = createLateStage<GenerationEvent>();
  /** Ends it: with the caller's signal, with the engine, or when its reader leaves. */
  readonly #stop = new AbortController();
  #generation: LocalGeneration | undefined;
  #events: AsyncGenerator<GenerationEvent, void, undefined> | undefined;
  #skipsThinking = false;
  #isOver = false;
  #warnings: readonly RequestWarning[] = [];

  constructor(host: RunHost, request: LlamaRequest, signal: AbortSignal = new AbortController().signal) {
    this.#host = host;
    this.#request = request;
    this.#signal = signal;
  }

  get warnings(): readonly RequestWarning[] {
    return this.#warnings;
  }

  skipThinking(): boolean {
    if (this.#isOver || this.#signal.aborted) return false;
    if (this.#generation !== undefined) return this.#generation.watch.skip();
    // Whether the model thinks at all is not known yet; if it does, it will not get far.
    this.#skipsThinking = true;
    return true;
  }

  [Symbol.asyncIterator](): AsyncGenerator<GenerationEvent, void, undefined> {
    this.#events ??= stopOnLeave(this.#read(), () => this.#stop.abort());
    return this.#events;
  }

  async *#read(): AsyncGenerator<GenerationEvent, void, undefined> {
    const signal = this.#signal;
    const stop = this.#stop;
    const source = this.#source(stop.signal);
    stop.signal.addEventListener("abort", () => {
      // The model is let go at once, or when its token is there, whether or not anybody reads on. What an abandoned
      // source throws now concerns nobody.
      source.return().catch(() => undefined);
      this.#host.live.delete(stop);
    });
    const onAbort = (): void => stop.abort(signal.reason);
    if (signal.aborted) onAbort();
    // One signal for many generations is nothing to warn of: each takes its listener away again.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#host.live.add(stop);
    try {
      for await (const event of runGeneration(source, this.#late.stage, { signal: stop.signal })) {
        if (event.type === "finish") this.#isOver = true;
        yield event;
      }
    } finally {
      this.#isOver = true;
      signal.removeEventListener("abort", onAbort);
      this.#host.live.delete(stop);
    }
  }

  async *#source(signal: AbortSignal): AsyncGenerator<GenerationEvent, void, undefined> {
    const { residency } = this.#host;
    try {
      // Before a model is loaded for it.
      checkRequest(this.#request);
      this.#warnings = warningsOfUnread(this.#request);
      const resident = await residency.use();
      try {
        yield* this.#generate(resident, signal);
      } finally {
        residency.release();
      }
    } catch (error) {
      yield { type: "finish", signal: failureSignal(error) };
    }
  }

  async *#generate(resident: ResidentModel, signal: AbortSignal): AsyncGenerator<GenerationEvent, void, undefined> {
    const plan = await planGeneration(this.#request, resident, this.#host.defaults);
    const lease = await resident.pool.acquire(plan.prompt, signal);
    resident.lockstep.join();
    try {
      const generation = new LocalGeneration(resident, plan);
      this.#generation = generation;
      if (this.#skipsThinking) generation.watch.skip();
      this.#late.use(generation.stage(() => `call_${randomUUID()}`));
      yield { type: "start", id: randomUUID(), model: this.#request.model };
      yield* generation.tokens(lease, signal);
    } catch (error) {
      // Nobody knows what a sequence holds after a failure, so the next prompt must not build on it.
      if (!signal.aborted) await lease.sequence.clearHistory();
      throw error;
    } finally {
      resident.lockstep.leave();
      lease.release();
    }
  }
}
