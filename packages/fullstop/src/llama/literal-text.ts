import { StringMatcher, createStringSet } from "../text/string-matcher.ts";

/** A code point that no text uses; it never gets as far as the tokenizer. */
const BREAK = "\uFDD0";

/** Keeps what people and tools have written from being read as a model's markers. */
export interface LiteralText {
  /** Marks a text that goes into a prompt, so that nothing in it can be a marker. */
  protect(text: string): string;
  /** Cuts a finished prompt where it was marked. The parts are to be tokenized one by one. */
  parts(prompt: string): readonly string[];
}

/**
 * Without this a message that contains `<|im_end|>` would end its own turn and could speak with the system's voice.
 * Markers are recognised wherever they stand in a text, so each of them is cut after its first letter (and at its
 * end, in case another one begins inside it).
 */
export function createLiteralText(markers: readonly string[]): LiteralText {
  const set = createStringSet(markers.filter((marker) => marker.length > 1));
  return {
    protect(text) {
      const clean = text.replaceAll(BREAK, "\uFFFD");
      const matcher = new StringMatcher(set);
      let result = "";
      let rest = clean;
      for (let match = matcher.scan(rest); match !== undefined; match = matcher.scan(rest)) {
        const start = match.end - match.length;
        result += rest.slice(0, start + 1) + BREAK + rest.slice(start + 1, match.end) + BREAK;
        rest = rest.slice(match.end);
        matcher.reset();
      }
      return result + rest;
    },
    parts: (prompt) => prompt.split(BREAK).filter((part) => part !== ""),
  };
}
