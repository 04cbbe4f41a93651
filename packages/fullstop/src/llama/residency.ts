import type { Clock } from "../clock.ts";
import { refuse } from "./refusal.ts";

/** Something large that is loaded when it is needed and freed when it was not needed for a while. */
export interface Loadable {
  dispose(): Promise<void>;
}

/** What a {@link Residency} needs to know. */
export interface ResidencySettings<T extends Loadable> {
  load(): Promise<T>;
  /** How long nobody has to use it before it is freed; undefined to keep it. */
  readonly idleMilliseconds: number | undefined;
  readonly clock: Clock;
}

/** Keeps one model in memory for as long as somebody uses it, and a while longer. */
export class Residency<T extends Loadable> {
  readonly #settings: ResidencySettings<T>;
  #loading: Promise<T> | undefined;
  #resident: T | undefined;
  #users = 0;
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;
  #onIdle: (() => void)[] = [];

  constructor(settings: ResidencySettings<T>) {
    this.#settings = settings;
  }

  /** The model, while it is in memory. */
  get resident(): T | undefined {
    return this.#resident;
  }

  /** Loads the model if need be, and lends it out until {@link release}. A failure to load is everybody's who waits. */
  async use(): Promise<T> {
    if (this.#isClosed) throw refuse("shutdown", "The engine has been disposed of");
    this.#users += 1;
    this.#cancelTimer?.();
    const loading = (this.#loading ??= this.#settings.load());
    try {
      this.#resident = await loading;
      return this.#resident;
    } catch (error) {
      // Another attempt may be under way by now; that one is not ours to give up.
      if (this.#loading === loading) this.#loading = undefined;
      this.release();
      throw error;
    }
  }

  release(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    const waiting = this.#onIdle.splice(0);
    for (const resolve of waiting) resolve();
    const { idleMilliseconds, clock } = this.#settings;
    // Whoever waits for this moment frees the memory at once.
    if (this.#loading === undefined || waiting.length > 0 || idleMilliseconds === undefined) return;
    this.#cancelTimer = clock.after(idleMilliseconds, () => {
      this.unload().catch(warn);
    });
  }

  /** Frees the memory once nobody uses it any more; the next use loads it again. */
  async unload(): Promise<void> {
    this.#cancelTimer?.();
    while (this.#users > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    const resident = this.#resident;
    this.#resident = undefined;
    this.#loading = undefined;
    await resident?.dispose();
  }

  /** Frees the memory for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.unload();
  }
}

function warn(error: unknown): void {
  console.warn("fullstop: a model could not be unloaded:", error);
}
