import type { StopRuleOptions } from "../stop/stop-rules.ts";
import { textOf } from "./answer.ts";
import type { AgentAnswer, AnswerPart } from "./answer.ts";
import { cutBackToStop, withLastText, withoutCalls } from "./cut-back.ts";
import type { StepSettings } from "./settings.ts";

/**
 * What is left of a text that was put aside to be written again, now that an answer has come in its place: all of it
 * where the answer is no more than its beginning, because a text that somebody has seen is not to become shorter by
 * a connection that breaks or a limit that comes sooner; nothing where the answer is something else, which counts.
 *
 * An answer that ended in a stop string has taken that part of it along which can be the beginning of the string.
 */
export function spareLeft(
  spare: readonly AnswerPart[],
  { content, signal }: AgentAnswer,
  { stopRules = {} }: StepSettings,
): readonly AnswerPart[] {
  // A call that was cut is not kept as one, but this is.
  if (content.some(({ type }) => type === "tool-call" || type === "opaque")) return [];
  const left = signal.reason === "stop_sequence" ? withoutStop(spare, signal.stopSequence, stopRules) : spare;
  const text = textOf(left);
  const came = textOf(content);
  return text.length > came.length && text.startsWith(came) ? withoutCalls(left) : [];
}

function withoutStop(
  spare: readonly AnswerPart[],
  found: string | undefined,
  stopRules: StopRuleOptions,
): readonly AnswerPart[] {
  const last = spare.at(-1);
  if (last?.type !== "text") return spare;
  const same = [stopRules.stop ?? []].flat().filter((stop) => (typeof stop === "string" ? stop : stop.text) === found);
  // Not everybody says which string it was.
  const rules = same.length === 0 ? stopRules : { ...stopRules, stop: same };
  return withLastText(spare, cutBackToStop(last.text, rules));
}
