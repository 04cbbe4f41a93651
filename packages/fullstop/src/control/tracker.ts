import { checkFlag, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { GenerationEvent } from "../events.ts";
import type { StopReason } from "./order.ts";
import { createRandomId } from "../random-id.ts";
import { phaseOf } from "./phase.ts";
import type { GenerationPhase } from "./phase.ts";

/**
 * What several generations can have in common, such as a chat, a user and a topic. Keys with the same parts in the same
 * order are one key, and a word is the key with that one part. A number is not the word that looks like it: `[1]` and
 * `["1"]` are two keys, and so are `["a"]` and `["a", undefined]`.
 */
export type GenerationKey = string | readonly (string | number | undefined)[];

/** Which generations are meant: one by its id, or all that run under a key. */
export type GenerationTarget = { readonly id: string } | { readonly key: GenerationKey };

/** A generation that can be stopped while it is tracked. */
export interface TrackedGeneration {
  readonly id: string;
  readonly key: GenerationKey;
  /** Fires when it is stopped, with what stopped it as its reason. Give it to the engine. */
  readonly signal: AbortSignal;
  /** What it is doing, by the events that were shown to {@link TrackedGeneration.observe}. */
  readonly phase: GenerationPhase;
  /** Keeps the phase up to date. */
  observe(event: GenerationEvent): void;
  /** Says how it can be made to leave its thinking, such as by `skipThinking` of an engine's generation. */
  onSkipThinking(skip: () => boolean): void;
  /** Ends the tracking of this generation, and of no other under the same key. */
  end(): void;
}

/** What came of a stop: whether somebody was first, or there is nothing to stop. */
export type StopOutcome = "stopped" | "stopping" | "not_found";

/** Options of {@link Tracker.start}. */
export interface StartOptions {
  /** Default: a random one. */
  readonly id?: string | undefined;
  /** Stops what runs under the same key, for the reason `new_message`. Default: false. */
  readonly interrupts?: boolean | undefined;
}

/** The generations of one process that run, by id and by key. */
export interface Tracker {
  /**
   * Tracks a generation from now on. Call it before any step that takes time, so that a stop that comes in between
   * is not missed: the signal has then fired before the engine is asked.
   */
  start(key: GenerationKey, options?: StartOptions): TrackedGeneration;
  /** Stops. The first reason holds. */
  stop(target: GenerationTarget, reason?: StopReason): StopOutcome;
  /** Makes a generation leave its thinking. False where there is none to leave. */
  skipThinking(target: GenerationTarget): boolean;
  /** Whether one runs that nobody has stopped. */
  isActive(target: GenerationTarget): boolean;
  /** Those that run, the oldest first. */
  active(): readonly TrackedGeneration[];
}

/** Creates a tracker without generations. */
export function createTracker(): Tracker {
  return new GenerationTracker();
}

/** Tracks a generation for as long as `run` takes, whatever becomes of it. */
export async function generationContext<T>(
  tracker: Tracker,
  key: GenerationKey,
  run: (generation: TrackedGeneration) => Promise<T>,
  options?: StartOptions,
): Promise<T> {
  const generation = tracker.start(key, options);
  try {
    return await run(generation);
  } finally {
    generation.end();
  }
}

class GenerationTracker implements Tracker {
  readonly #byId = new Map<string, Entry>();
  readonly #byKey = new Map<string, Set<Entry>>();

  start(key: GenerationKey, options: StartOptions = {}): TrackedGeneration {
    checkNames("start options", options, { id: true, interrupts: true });
    const { id = createRandomId(), interrupts = false } = options;
    checkFlag("interrupts", interrupts);
    checkWord("id", id);
    if (this.#byId.has(id)) throw invalidArgument("id", "must not be that of a generation that runs", id);
    const name = nameOf(key);
    if (interrupts) this.stop({ key }, "new_message");
    const entry = new Entry(id, key, () => {
      // Only itself: a later one may run under the same key, or even the same id, and has come to stay.
      if (this.#byId.get(id) === entry) this.#byId.delete(id);
      const others = this.#byKey.get(name);
      others?.delete(entry);
      if (others?.size === 0) this.#byKey.delete(name);
    });
    this.#byId.set(id, entry);
    this.#byKey.set(name, (this.#byKey.get(name) ?? new Set()).add(entry));
    return entry;
  }

  stop(target: GenerationTarget, reason: StopReason = "user"): StopOutcome {
    checkWord("reason", reason);
    const found = this.#find(target);
    if (found.length === 0) return "not_found";
    const running = found.filter(({ signal }) => !signal.aborted);
    for (const entry of running) entry.stop(reason);
    return running.length > 0 ? "stopped" : "stopping";
  }

  skipThinking(target: GenerationTarget): boolean {
    return this.#find(target)
      .map((entry) => entry.skipThinking())
      .some(Boolean);
  }

  isActive(target: GenerationTarget): boolean {
    return this.#find(target).some(({ signal }) => !signal.aborted);
  }

  active(): readonly TrackedGeneration[] {
    return [...this.#byId.values()];
  }

  #find(target: GenerationTarget): readonly Entry[] {
    if (!isTarget(target)) throw invalidArgument("target", "must be { id } or { key }", target);
    if ("key" in target) return [...(this.#byKey.get(nameOf(target.key)) ?? [])];
    const entry = this.#byId.get(target.id);
    return entry === undefined ? [] : [entry];
  }
}

class Entry implements TrackedGeneration {
  readonly id: string;
  readonly key: GenerationKey;
  readonly #stop = new AbortController();
  readonly #onEnd: () => void;
  #phase: GenerationPhase = "waiting";
  #skip: (() => boolean) | undefined;

  constructor(id: string, key: GenerationKey, onEnd: () => void) {
    this.id = id;
    this.key = key;
    this.#onEnd = onEnd;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get phase(): GenerationPhase {
    return this.#phase;
  }

  observe(event: GenerationEvent): void {
    this.#phase = phaseOf(event) ?? this.#phase;
  }

  onSkipThinking(skip: () => boolean): void {
    this.#skip = skip;
  }

  end(): void {
    this.#onEnd();
  }

  stop(reason: StopReason): void {
    this.#stop.abort(reason);
  }

  skipThinking(): boolean {
    return !this.#stop.signal.aborted && (this.#skip?.() ?? false);
  }
}

/** A bare id is what callers without types pass: it must not look like a generation that is not there. */
function isTarget(target: unknown): boolean {
  return typeof target === "object" && target !== null && ("key" in target || "id" in target);
}

/** A key as it is looked up by: two keys with the same parts are one. */
function nameOf(key: GenerationKey): string {
  const parts = typeof key === "string" ? [key] : key;
  if (typeof parts?.every !== "function" || !parts.every(isPart)) {
    throw invalidArgument("key", "must be a word or a list of words and finite numbers", key);
  }
  return JSON.stringify(parts.map((part) => part ?? null));
}

/** Numbers that are not finite have no name of their own. */
function isPart(part: unknown): boolean {
  return part === undefined || typeof part === "string" || Number.isFinite(part);
}

function checkWord(name: string, value: unknown): void {
  if (typeof value !== "string" || value === "") throw invalidArgument(name, "must be a word that is not empty", value);
}
