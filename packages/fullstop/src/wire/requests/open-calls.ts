/** A call of a conversation, and whether it has its result. */
export interface OpenableCall {
  readonly callId: string;
  readonly name: string;
  /** In which turn it was made; turns are counted in their order. */
  readonly turn: number;
  isAnswered: boolean;
}

/**
 * Calls that the same result could be of, in their order. What was looked at once is not looked at again: conversations
 * of a hundred thousand calls take no longer than others.
 */
export class OpenCalls {
  readonly #calls: OpenableCall[];
  /** Before which call all have their results. */
  #first = 0;
  /** With which call the latest turn begins, and before which of its calls all have their results. */
  #latestStart = 0;
  #latestFirst = 0;

  constructor(first: OpenableCall) {
    this.#calls = [first];
  }

  add(call: OpenableCall): void {
    if (call.turn !== this.last()?.turn) this.#latestStart = this.#latestFirst = this.#calls.length;
    this.#calls.push(call);
  }

  /**
   * Takes the call that a result is of: the first that has none in the latest turn, then the first of all. Where there
   * are more results than the latest turn has calls, they are those of all turns in their order.
   */
  take(results = 1): OpenableCall | undefined {
    this.#latestFirst = this.#openFrom(this.#latestFirst);
    this.#first = this.#openFrom(this.#first);
    const isOfLatest = results <= this.#calls.length - this.#latestStart;
    const call = (isOfLatest ? this.#calls[this.#latestFirst] : undefined) ?? this.#calls[this.#first];
    if (call !== undefined) call.isAnswered = true;
    return call;
  }

  /** The call that came last, whether or not it has its result. */
  last(): OpenableCall | undefined {
    return this.#calls.at(-1);
  }

  #openFrom(index: number): number {
    let open = index;
    while (this.#calls[open]?.isAnswered === true) open += 1;
    return open;
  }
}

/** The calls with one id, in any order of their tools. */
export class CallsOfId {
  readonly #first: OpenableCall;
  /** Only where there are several, which is rare: a conversation would have lists for each of its calls. */
  #all: OpenCalls | undefined;
  #byTool: Map<string, OpenCalls> | undefined;

  constructor(first: OpenableCall) {
    this.#first = first;
  }

  add(call: OpenableCall): void {
    this.#all ??= new OpenCalls(this.#first);
    this.#all.add(call);
    this.#byTool ??= new Map([[this.#first.name, new OpenCalls(this.#first)]]);
    const ofTool = this.#byTool.get(call.name);
    if (ofTool === undefined) this.#byTool.set(call.name, new OpenCalls(call));
    else ofTool.add(call);
  }

  all(): OpenCalls {
    return (this.#all ??= new OpenCalls(this.#first));
  }

  /** The calls of a tool, or nothing where it was not called. */
  ofTool(name: string | undefined): OpenCalls | undefined {
    if (this.#byTool !== undefined) return name === undefined ? undefined : this.#byTool.get(name);
    return this.#first.name === name ? this.all() : undefined;
  }
}
