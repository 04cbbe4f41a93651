/** How an answer is asked for: as a stream with its counts, as a stream without, or in one piece. */
export type StreamWay = "counted" | "uncounted" | "whole";

/** For how long a refusal is held: whoever has become entitled to streams gets them without a restart. */
const MEMORY = 15 * 60_000;

/** The models of a provider that have refused to be asked for streams as all others are, and answered otherwise. */
export class RefusedStreams {
  readonly #now: () => number;
  readonly #ways = new Map<string, { readonly way: StreamWay; readonly until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Holds that a model is to be asked in another way. */
  add(model: string, way: StreamWay): void {
    this.#ways.set(model, { way, until: this.#now() + MEMORY });
  }

  /** The way in which a model is to be asked; undefined for the usual one. */
  wayOf(model: string): StreamWay | undefined {
    const known = this.#ways.get(model);
    return known !== undefined && this.#now() < known.until ? known.way : undefined;
  }
}
