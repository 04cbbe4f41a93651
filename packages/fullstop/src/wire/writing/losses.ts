import type { Usage } from "../../events.ts";
import type { Warn } from "./options.ts";
import type { AnswerPart } from "./parts.ts";

/** Warns that an error body carries neither what was generated before it nor what that has cost. */
export function warnOfError(warn: Warn, parts: readonly AnswerPart[], usage: Usage | undefined): void {
  if (parts.length > 0) warn("output", "An error has no place for what was generated before it");
  if (usage !== undefined) warn("usage", "An error has no place for token counts");
}

/** Warns of a part that only its own provider understands. */
export function warnOfOpaque(warn: Warn): void {
  warn("opaque", "A part that only its own provider understands was left out");
}

/** Warns of the signature of a part in a dialect that has no place for it there. */
export function warnOfSignature(warn: Warn, part: AnswerPart): void {
  if (part.signature !== undefined) warn("signature", "There is no place for the provider's signature");
}
