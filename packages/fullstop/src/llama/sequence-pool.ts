import type { LlamaContext, LlamaContextSequence, Token } from "node-llama-cpp";
import { refuse } from "./refusal.ts";

/** A place in a model's context. */
interface Place {
  /** Which of the context's sequences it is. */
  readonly number: number;
  readonly sequence: LlamaContextSequence;
}

/** A place in a model's context that one generation has to itself. */
export interface Lease extends Place {
  /** Gives the place back. What it has read stays, for the next prompt that begins alike. */
  release(): void;
}

interface Waiter {
  grant(place: Place): void;
}

/** Hands out the sequences of a context, first come first served, to at most `queueLimit` that wait. */
export class SequencePool {
  readonly #queueLimit: number;
  /** Those that nobody uses, the longest unused first. */
  readonly #free: Place[];
  readonly #waiters: Waiter[] = [];

  constructor(context: LlamaContext, queueLimit: number) {
    this.#queueLimit = queueLimit;
    // Without a shift: a full context ends the generation, and old text is never dropped behind anybody's back.
    this.#free = Array.from({ length: context.totalSequences }, (_, number) => ({
      number,
      sequence: context.getSequence(),
    }));
  }

  /** How many requests wait for a place. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** How many places nobody uses. */
  get free(): number {
    return this.#free.length;
  }

  /**
   * Waits for a place, preferably one that has read the beginning of this prompt before. Refuses with `overloaded`
   * when too many wait already. When `signal` fires in the queue, the signal's reason is thrown and the place in the
   * queue is gone.
   */
  async acquire(tokens: readonly Token[], signal: AbortSignal): Promise<Lease> {
    // A generation gives its place back a moment after its last event. Whoever asks for the next turn right then wants
    // that very place, with the conversation in it.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const place = this.#takeFree(tokens) ?? (await this.#wait(signal));
    let isReleased = false;
    return {
      ...place,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#giveBack(place);
      },
    };
  }

  #takeFree(tokens: readonly Token[]): Place | undefined {
    // Otherwise the longest unused: the others may be wanted again sooner.
    let [best] = this.#free;
    let bestShared = 0;
    for (const candidate of this.#free) {
      const shared = sharedTokens(candidate.sequence, tokens);
      // Nearly all prompts begin alike. A place is another conversation's unless half of either is the same.
      const isSame = shared * 2 >= Math.min(tokens.length, candidate.sequence.nextTokenIndex);
      if (isSame && shared > bestShared) [best, bestShared] = [candidate, shared];
    }
    if (best !== undefined) this.#free.splice(this.#free.indexOf(best), 1);
    return best;
  }

  #wait(signal: AbortSignal): Promise<Place> {
    if (this.#waiters.length >= this.#queueLimit) {
      const places = `${this.#waiters.length} requests wait already`;
      throw refuse("overloaded", `The model is busy and ${places}; try again later or raise queueLimit`);
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        grant(place) {
          signal.removeEventListener("abort", onAbort);
          resolve(place);
        },
      };
      this.#waiters.push(waiter);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #giveBack(place: Place): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#free.push(place);
    else next.grant(place);
  }
}

/** How many tokens at the beginning of a prompt a sequence has read already. */
export function sharedTokens(sequence: LlamaContextSequence, tokens: readonly Token[]): number {
  return sequence.compareContextTokens([...tokens]).firstDifferentIndex;
}
