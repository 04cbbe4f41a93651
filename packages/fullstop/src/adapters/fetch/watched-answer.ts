import type { GenerationEvent, Usage } from "../../events.ts";
import type { Sink, Stage } from "../../stage.ts";
import type { TerminationSignal } from "../../termination.ts";

/** How an answer ended, and by whose word. */
export type Ending =
  | { readonly by: "provider"; readonly signal: TerminationSignal }
  | { readonly by: "rule"; readonly signal: TerminationSignal };

/**
 * Reads one answer for what the rules have to say of it. The text goes nowhere from here: what counts is how many
 * characters went in and how many of them may be shown. Text is never put in another order, so these two numbers say
 * all about what is held back, and where an answer is to be cut.
 */
export class WatchedAnswer {
  readonly #decoder: Sink<Uint8Array>;
  #told: TerminationSignal | undefined;
  #ending: Ending | undefined;
  #usage: Usage | undefined;
  #received = 0;
  #shown = 0;
  #callRead: number | undefined;

  constructor(decode: Stage<Uint8Array, GenerationEvent>, guard: Stage<GenerationEvent, GenerationEvent>) {
    const guarded = guard({ push: (event) => this.#see(event), end: () => undefined });
    this.#decoder = decode({
      push: (event) => {
        if (event.type === "finish") this.#told = event.signal;
        // Counts may come after the last text, and the guard passes nothing on once it has ended an answer.
        else if (event.type === "usage") this.#usage = event.usage;
        else this.#received += lengthOf(event);
        if (event.type === "tool-call-delta") this.#callRead ??= this.#received;
        guarded.push(event);
      },
      end: () => guarded.end(),
    });
  }

  /** How many characters have come, over all channels. */
  get received(): number {
    return this.#received;
  }

  /** How many of them may be shown. */
  get shown(): number {
    return this.#shown;
  }

  /** How many characters had come with the first piece of a call in what was pushed last. */
  get callRead(): number | undefined {
    return this.#callRead;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  push(bytes: Uint8Array): void {
    this.#callRead = undefined;
    this.#decoder.push(bytes);
  }

  end(): void {
    this.#decoder.end();
  }

  #see(event: GenerationEvent): void {
    if (event.type !== "finish") this.#shown += lengthOf(event);
    else this.#ending ??= { by: event.signal === this.#told ? "provider" : "rule", signal: event.signal };
  }
}

function lengthOf(event: GenerationEvent): number {
  if (event.type === "text" || event.type === "reasoning") return event.text.length;
  return event.type === "tool-call-delta" ? event.json.length : 0;
}
