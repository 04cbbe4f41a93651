import { isRecord, parseJson, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { ReasoningPart as ThinkingPart } from "../../request.ts";
import { unwrapSignature, wrapSignature } from "../signatures.ts";
import { warnOfSignature } from "../writing/losses.ts";
import type { Warn } from "../writing/options.ts";
import type { ReasoningPart } from "../writing/parts.ts";

// OpenRouter tells a thought in a list of details: texts with signatures, summaries, and what is encrypted. It wants
// the list back as it was, so the list as JSON is its proof for the thought.

/** The format of a detail in which somebody else's proof goes to a client of the dialect. */
const FOREIGN = "fullstop";

/** Whether a detail proves something, so that it is worth sending back. */
export function isProof({ signature, data }: JsonRecord): boolean {
  return stringOf(signature) !== "" || stringOf(data) !== "";
}

/** The details that a proof of the dialect stands for; undefined if it is another kind of proof. */
export function parseDetails(signature: string): readonly JsonRecord[] | undefined {
  const details = parseJson(signature);
  return Array.isArray(details) && details.length > 0 && details.every(isRecord) ? details : undefined;
}

/**
 * The details of a thought for a client. A proof of which nobody says whose it is could not be told from the provider's
 * when it comes back. The text goes with the proof, although it has been sent in pieces: not every client keeps all of
 * them, and a proof for another text than that of the thought is refused.
 */
export function encodeDetails(part: ReasoningPart, warn: Warn): readonly JsonRecord[] {
  const { signature, signedBy, text, index, isRedacted } = part;
  if (signature === undefined || signedBy === undefined) {
    warnOfSignature(warn, part);
    return [];
  }
  const own = signedBy === "openai-chat" ? parseDetails(signature) : undefined;
  if (own !== undefined && !own.some(isForeign)) return own;
  // Details of another fullstop upstream, which wants them back as they are, must not be taken for those written here.
  const wrapped = wrapSignature(signature, signedBy, own === undefined ? "openai-chat" : FOREIGN, isRedacted);
  return [{ type: "reasoning.text", text, signature: wrapped, format: FOREIGN, index }];
}

/** Thinking that a client has sent back, with the proofs for it: those that were written here, then the provider's. */
export function signThinking(given: string | undefined, details: readonly JsonRecord[]): readonly ThinkingPart[] {
  const foreign = details.filter(isForeign);
  const own = details.filter((detail) => !isForeign(detail));
  const signed = foreign.map((detail): ThinkingPart => {
    return {
      type: "reasoning",
      text: textOf(detail),
      ...unwrapSignature(stringOf(detail["signature"]), "openai-chat"),
    };
  });
  const proved = foreign.map(textOf).join("");
  const text = given ?? details.map(textOf).join("");
  const rest = text.startsWith(proved) ? text.slice(proved.length) : "";
  if (own.some(isProof)) {
    return [...signed, { type: "reasoning", text: rest, signature: JSON.stringify(own), signedBy: "openai-chat" }];
  }
  return rest === "" ? signed : [...signed, { type: "reasoning", text: rest }];
}

function isForeign({ format, signature }: JsonRecord): boolean {
  return format === FOREIGN && stringOf(signature) !== "";
}

/** What can be seen of a detail. */
export function textOf({ text, summary }: JsonRecord): string {
  return stringOf(text) === "" ? stringOf(summary) : stringOf(text);
}
