/** What a result can say of its call, and a call of itself. */
export interface CallMark {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

interface Call {
  /** The id that it goes by in the end. */
  readonly callId: string;
  isAnswered: boolean;
}

/** What the model calls until somebody else says something. */
interface Turn {
  readonly number: number;
  readonly calls: Call[];
  /** Before which of its calls all have their results. */
  next: number;
}

/**
 * The calls of a conversation that wait for their results. A result is of the first call that waits in the nearest turn
 * in which one does. What was passed over once is not looked at again: a hundred thousand calls take no longer each
 * than a few do.
 */
export class OpenCalls {
  /** The turns with calls that may wait, the nearest last, by all that a result can say of them. */
  readonly #turns = new Map<string, Turn[]>();
  /** The latest call by its id, whether or not it waits. */
  readonly #latest = new Map<string, string>();
  /** The tools that were called under an id. */
  readonly #tools = new Map<string, Set<string | undefined>>();
  #number = 0;

  /** Says that the model's turn is over: what it calls from now on, it calls in another. */
  endTurn(): void {
    this.#number += 1;
  }

  /** Notes a call by what is said of it, under the id that it goes by in the end. */
  add({ id, name }: CallMark, callId: string): void {
    const call = { callId, isAnswered: false };
    this.#wait({ name }, call);
    if (id === undefined) return;
    this.#wait({ id }, call);
    this.#wait({ id, name }, call);
    this.#latest.set(id, callId);
    const tools = this.#tools.get(id);
    if (tools === undefined) this.#tools.set(id, new Set([name]));
    else tools.add(name);
  }

  /** The call that a result is of. It is taken, and waits no longer. */
  take(mark: CallMark): string | undefined {
    const turns = this.#turns.get(keyOf(mark));
    for (let turn = turns?.at(-1); turn !== undefined; turn = turns?.at(-1)) {
      while (turn.calls[turn.next]?.isAnswered === true) turn.next += 1;
      const call = turn.calls[turn.next];
      if (call !== undefined) {
        call.isAnswered = true;
        return call.callId;
      }
      turns?.pop();
    }
    return undefined;
  }

  /** Whether calls of several tools have an id. Where all are of one, its name tells none of them from the others. */
  isOfSeveral(id: string): boolean {
    return (this.#tools.get(id)?.size ?? 0) > 1;
  }

  /** The call that an id was last given to, whether or not it waits. */
  latest(id: string): string | undefined {
    return this.#latest.get(id);
  }

  #wait(mark: CallMark, call: Call): void {
    const key = keyOf(mark);
    const turns = this.#turns.get(key);
    const nearest = turns?.at(-1);
    if (nearest?.number === this.#number) nearest.calls.push(call);
    else if (turns === undefined) this.#turns.set(key, [{ number: this.#number, calls: [call], next: 0 }]);
    else turns.push({ number: this.#number, calls: [call], next: 0 });
  }
}

function keyOf({ id, name }: CallMark): string {
  return JSON.stringify([id, name]);
}
