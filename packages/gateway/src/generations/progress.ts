import type { GenerationEvent, Usage } from "fullstop";
import { CHARACTERS_PER_TOKEN, charactersOf } from "fullstop/engines";
import type { LiveGeneration } from "./live-generation.ts";

/** How far a generation has come. */
export interface Progress {
  readonly characters: number;
  /** As the model has counted them, or else about as many as its characters make. */
  readonly tokens: number;
  /** The end of what it has written last, whether thinking, text or the arguments of a call. */
  readonly lastWords: string;
}

const MOST_LAST_WORDS = 120;

/** What was seen of a generation, so that each look reads only what has come since the last. */
interface Seen {
  offset: number;
  characters: number;
  lastWords: string;
  usage: Usage | undefined;
}

/**
 * Looks at generations again and again. What it remembers goes with the generation; nothing is counted while nobody
 * looks.
 */
export class ProgressWatch {
  readonly #seen = new WeakMap<LiveGeneration, Seen>();

  look(generation: LiveGeneration): Progress {
    const seen = this.#seen.get(generation) ?? { offset: 0, characters: 0, lastWords: "", usage: undefined };
    this.#seen.set(generation, seen);
    const events = generation.log.written();
    // Readers of this may see what others may see, and not more.
    for (const end = generation.events; seen.offset < end; seen.offset += 1) add(seen, events[seen.offset]);
    const { characters, lastWords, usage } = seen;
    const estimate = Math.ceil(characters / CHARACTERS_PER_TOKEN);
    return { characters, lastWords, tokens: Math.max(usage?.outputTokens ?? 0, estimate) };
  }
}

function add(seen: Seen, event: GenerationEvent | undefined): void {
  if (event === undefined) return;
  if (event.type === "usage") seen.usage = event.usage;
  seen.characters += charactersOf(event);
  const words = event.type === "tool-call-delta" ? event.json : "text" in event ? event.text : "";
  if (words !== "") seen.lastWords = (seen.lastWords + words).slice(-MOST_LAST_WORDS);
}
