import { StringMatcher, createStringSet } from "../text/string-matcher.ts";

/** A code point that no text uses; it never gets as far as the tokenizer. */
const BREAK = "\uFDD0";

/** Keeps what people and tools have written from being read as a model's markers. */
export interface LiteralText {
  /** Marks a text that goes into a prompt, so that nothing in it can be a marker. */
  readonly protect: (text: string) => string;
  /** Marks every text within a value that goes into a prompt as JSON, names of fields included. */
  readonly protectAll: (value: unknown) => unknown;
  /** Cuts a finished prompt where it was marked. The parts are to be tokenized one by one. */
  readonly parts: (prompt: string) => readonly string[];
}

/**
 * Without this a message that contains `<|im_end|>` would end its own turn and could speak with the system's voice.
 * Markers are recognised wherever they stand in a text, so each of them is cut behind its first letter; what follows is
 * looked through again, because another one may begin there.
 */
export function createLiteralText(markers: readonly string[]): LiteralText {
  const set = createStringSet(markers.filter((marker) => marker.length > 1));

  function protect(text: string): string {
    const matcher = new StringMatcher(set);
    let result = "";
    let rest = text.replaceAll(BREAK, "\uFFFD");
    for (let match = matcher.scan(rest); match !== undefined; match = matcher.scan(rest)) {
      const cut = match.end - match.length + 1;
      result += rest.slice(0, cut) + BREAK;
      rest = rest.slice(cut);
      matcher.reset();
    }
    return result + rest;
  }

  function protectAll(value: unknown): unknown {
    if (typeof value === "string") return protect(value);
    if (Array.isArray(value)) return value.map(protectAll);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [protect(name), protectAll(inner)]));
  }

  return { protect, protectAll, parts: (prompt) => prompt.split(BREAK).filter((part) => part !== "") };
}
