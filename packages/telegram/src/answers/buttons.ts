import type { GenerationPhase } from "fullstop/control";
import type { Buttons } from "../screen/plan.ts";
import type { EndingKind, Words } from "../words/words.ts";

/** What a button does. */
export type Action = "stop" | "skip" | "continue" | "regenerate";

/**
 * What is in a button: what it does, and the answer's id, which nobody can guess. It is no proof of anything: who has
 * pressed it, and where, is looked at when that happens.
 */
export interface Press {
  readonly action: Action;
  readonly id: string;
}

const PRESS = /^(stop|skip|continue|regenerate):([\w-]{22})$/u;

/** A press as Telegram carries it, in at most 64 bytes. */
function encodePress({ action, id }: Press): string {
  return `${action}:${id}`;
}

/** What was pressed; undefined for what is none of the bot's buttons. */
export function decodePress(data: string | undefined): Press | undefined {
  const [, action, id] = PRESS.exec(data ?? "") ?? [];
  return isAction(action) && id !== undefined ? { action, id } : undefined;
}

function isAction(word: string | undefined): word is Action {
  return word === "stop" || word === "skip" || word === "continue" || word === "regenerate";
}

/** The buttons under an answer that is being written. */
export function runningButtons(id: string, phase: GenerationPhase, { buttons }: Words): Buttons {
  const stop = { text: buttons.stop, callback_data: encodePress({ action: "stop", id }) };
  const skip = { text: buttons.skipThinking, callback_data: encodePress({ action: "skip", id }) };
  return phase === "thinking" ? [[skip, stop]] : [[stop]];
}

/** The endings after which the answer has a rest that can be asked for. */
const CONTINUABLE: ReadonlySet<EndingKind> = new Set([
  "interrupted",
  "length",
  "cut",
  "unknown",
  "time",
  "budget",
  "tools",
]);

/** The buttons under an answer that has ended: none if it is whole. */
export function finishedButtons(
  id: string,
  { ending, hasText }: { readonly ending: EndingKind | undefined; readonly hasText: boolean },
  { buttons }: Words,
): Buttons {
  if (ending === undefined) return undefined;
  const regenerate = { text: buttons.regenerate, callback_data: encodePress({ action: "regenerate", id }) };
  if (!hasText || !CONTINUABLE.has(ending)) return [[regenerate]];
  return [[{ text: buttons.continue, callback_data: encodePress({ action: "continue", id }) }, regenerate]];
}
