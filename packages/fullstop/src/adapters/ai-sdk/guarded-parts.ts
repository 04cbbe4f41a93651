import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { GenerationEvent } from "../../events.ts";
import type { Sink } from "../../stage.ts";
import { defineGuard } from "../../stop/guard.ts";
import type { StopRules } from "../../stop/stop-rules.ts";
import type { TerminationSignal } from "../../termination.ts";
import { charactersOf } from "../../usage.ts";
import { PartEvents, isDelta } from "./part-events.ts";

interface WaitingPart {
  readonly part: LanguageModelV4StreamPart;
  readonly characters: number;
}

/**
 * Puts the parts of an answer under stop rules. The guard says how many characters may be shown; parts wait in their
 * order until that many are reached, and the one in which the number falls is cut in two. So whatever the provider
 * wrote beside the text, such as ids and proofs, stays with it.
 */
export class GuardedParts {
  readonly #guard: Sink<GenerationEvent>;
  readonly #events = new PartEvents();
  readonly #waiting: WaitingPart[] = [];
  /** Blocks that were begun and not ended, each with the part that ends it. */
  readonly #open = new Map<string, LanguageModelV4StreamPart>();
  /** Characters that may be shown and have not been. */
  #allowed = 0;
  #received = 0;
  #signal: TerminationSignal | undefined;

  constructor(rules: StopRules) {
    this.#guard = defineGuard(rules)({ push: (event) => this.#see(event), end: () => undefined });
  }

  /** How the answer ended, once a rule or {@link end} has ended it. */
  get signal(): TerminationSignal | undefined {
    return this.#signal;
  }

  /** How many characters have come, shown or not: all of them were paid for. */
  get received(): number {
    return this.#received;
  }

  /** Takes the next part and returns what may be shown now. */
  push(part: LanguageModelV4StreamPart): readonly LanguageModelV4StreamPart[] {
    if (this.#signal !== undefined) return [];
    const characters = this.#events.charactersIn(part);
    this.#received += characters;
    this.#waiting.push({ part, characters });
    for (const event of this.#events.of(part)) this.#guard.push(event);
    return this.#signal === undefined ? this.#release() : [...this.#release(), ...this.#closeBlocks()];
  }

  /** Ends the answer from outside and returns what was still held back. After a rule has ended it, that is nothing. */
  end(signal: TerminationSignal): readonly LanguageModelV4StreamPart[] {
    if (this.#signal !== undefined) return [];
    this.#guard.push({ type: "finish", signal });
    return [...this.#release(), ...this.#closeBlocks()];
  }

  #see(event: GenerationEvent): void {
    if (event.type === "finish") this.#signal = event.signal;
    else this.#allowed += charactersOf(event);
  }

  #release(): LanguageModelV4StreamPart[] {
    const shown: LanguageModelV4StreamPart[] = [];
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const { part, characters } = first;
      if (characters > this.#allowed) {
        if (this.#allowed > 0 && isDelta(part)) {
          shown.push({ ...part, delta: part.delta.slice(0, this.#allowed) });
          this.#waiting[0] = {
            part: { ...part, delta: part.delta.slice(this.#allowed) },
            characters: characters - this.#allowed,
          };
          this.#allowed = 0;
        }
        break;
      }
      this.#allowed -= characters;
      this.#waiting.shift();
      this.#follow(part);
      shown.push(part);
    }
    return shown;
  }

  #follow(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
        this.#open.set(`text ${part.id}`, { type: "text-end", id: part.id });
        break;
      case "reasoning-start":
        this.#open.set(`reasoning ${part.id}`, { type: "reasoning-end", id: part.id });
        break;
      case "text-end":
        this.#open.delete(`text ${part.id}`);
        break;
      case "reasoning-end":
        this.#open.delete(`reasoning ${part.id}`);
        break;
      default:
        break;
    }
  }

  /** Blocks of text are ended. Arguments that were cut are not, because their end would say that they are whole. */
  #closeBlocks(): readonly LanguageModelV4StreamPart[] {
    const ends = [...this.#open.values()];
    this.#open.clear();
    return ends;
  }
}
