/** For how long it is held that a model is not streamed: whoever has become entitled to streams gets them without a restart. */
const MEMORY = 15 * 60_000;

/** The models of a provider that it has refused to stream, and answered whole. */
export class RefusedStreams {
  readonly #now: () => number;
  /** By model, until when it is asked for whole answers. */
  readonly #until = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(model: string): void {
    this.#until.set(model, this.#now() + MEMORY);
  }

  has(model: string): boolean {
    const until = this.#until.get(model);
    return until !== undefined && this.#now() < until;
  }
}
