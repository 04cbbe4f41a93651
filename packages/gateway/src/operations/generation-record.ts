import type { GenerationEvent, TerminationSignal } from "fullstop";
import type { GenerationPhase } from "fullstop/control";
import type {
  Asked,
  GenerationEnd,
  GenerationObserver,
  GenerationStart,
  GenerationWatch,
  StopOrder,
} from "./observer.ts";

type Order = Omit<StopOrder, "latencyMilliseconds"> & { readonly at: number };

/** What is written down of a generation while it runs, for those who are told at its end. */
export class GenerationRecord {
  readonly #watch: GenerationWatch;
  readonly #begin: number = performance.now();
  readonly #failures: GenerationEnd["failures"][number][] = [];
  #asked: Asked;
  #firstOutput: number | undefined;
  #order: Order | undefined;

  constructor(observer: GenerationObserver, start: GenerationStart) {
    this.#asked = start.targets[0] ?? { provider: "nobody", model: start.request.model };
    this.#watch = observer.started(start);
  }

  /** Runs whatever asks the models. */
  run<T>(ask: () => T): T {
    return this.#watch.run(ask);
  }

  /** Somebody is asked from now on. */
  asks({ provider, model }: Asked): void {
    this.#asked = { provider, model };
  }

  /** Whoever was asked has failed. */
  failed(signal: TerminationSignal): void {
    this.#failures.push({ ...this.#asked, signal });
  }

  /** Looks at an event on its way; only the first output makes a difference. */
  sees({ type }: GenerationEvent): void {
    if (this.#firstOutput === undefined && type !== "usage") this.#firstOutput = performance.now();
  }

  heldBack(milliseconds: number): void {
    this.#watch.heldBack(milliseconds);
  }

  /** An order to stop has come. The first one counts, but what is to end at once outdoes what may end its sentence. */
  ordered(mode: StopOrder["mode"], detail: string, phase: GenerationPhase): void {
    if (this.#order !== undefined && (mode !== "stop" || this.#order.mode === "stop")) return;
    this.#order = { mode, detail, phase, at: performance.now() };
  }

  /** How long ago the order came that counts; undefined if there was none. */
  get sinceOrder(): number | undefined {
    return this.#order && performance.now() - this.#order.at;
  }

  /** It is over. Tells whoever watches. */
  ended(signal: TerminationSignal, events: readonly GenerationEvent[]): void {
    const now = performance.now();
    this.#watch.ended({
      signal,
      events,
      usage: events.findLast((event) => event.type === "usage")?.usage,
      asked: this.#asked,
      failures: this.#failures,
      durationMilliseconds: now - this.#begin,
      firstOutputMilliseconds: this.#firstOutput === undefined ? undefined : this.#firstOutput - this.#begin,
      order: this.#order && finishOrder(this.#order, now),
    });
  }
}

function finishOrder({ at, ...order }: Order, now: number): StopOrder {
  return { ...order, latencyMilliseconds: now - at };
}
