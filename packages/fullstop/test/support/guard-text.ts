import { createTextGuard } from "../../src/index.ts";
import type { StopRuleOptions, StopRules, TerminationSignal } from "../../src/index.ts";

/** What came of a text that was sent through a guard. */
export interface Guarded {
  readonly text: string;
  readonly signal: TerminationSignal | undefined;
  /** What each push returned. */
  readonly shown: readonly string[];
}

/** Sends pieces through a fresh guard, to the end. */
export function guardText(pieces: readonly string[], rules: StopRules | StopRuleOptions): Guarded {
  const guard = createTextGuard(rules);
  const shown = pieces.map((piece) => guard.push(piece));
  const text = shown.join("") + guard.end();
  return { text, signal: guard.signal, shown };
}

/** A piece that was decoded from tokens. */
export type TokenPiece = readonly [text: string, ...tokenIds: number[]];

/** Sends pieces with their token ids through a fresh guard, to the end. */
export function guardTokens(pieces: readonly TokenPiece[], rules: StopRules | StopRuleOptions): Guarded {
  const guard = createTextGuard(rules);
  const shown = pieces.map(([text, ...tokenIds]) => guard.push(text, tokenIds));
  const text = shown.join("") + guard.end();
  return { text, signal: guard.signal, shown };
}

/** The metadata of a signal, by name. */
export function metadataOf(signal: TerminationSignal | undefined): Readonly<Record<string, unknown>> {
  return signal?.providerSpecific.metadata ?? {};
}
