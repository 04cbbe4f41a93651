import type { GenerationEvent } from "../../events.ts";
import { checkEncodeOptions } from "./options.ts";
import type { Warn } from "./options.ts";
import type { AnswerEnding, AnswerPart, AnswerWriter } from "./parts.ts";
import { AnswerSink } from "./sink.ts";
import type { EncodeOptions, WireFormatName } from "../format.ts";

/** A whole answer: its parts in the order in which they began, with all their text, and how it ended. */
export interface WholeAnswer extends AnswerEnding {
  readonly parts: readonly AnswerPart[];
}

/** Collects the events of one generation. Events without a finish make an answer that was cut. */
export function collectAnswer(
  dialect: WireFormatName,
  events: Iterable<GenerationEvent>,
  options: EncodeOptions,
  warn: Warn,
): WholeAnswer {
  checkEncodeOptions(options);
  const parts: AnswerPart[] = [];
  const endings: AnswerEnding[] = [];
  const writer: AnswerWriter = {
    start: () => undefined,
    open: (part) => void parts.push(part),
    write: (part, piece) => {
      part.text += piece;
    },
    cite: () => undefined,
    close: () => undefined,
    finish: (ending) => void endings.push(ending),
  };
  const sink = new AnswerSink(dialect, writer, { end: () => undefined }, options, warn);
  for (const event of events) sink.push(event);
  sink.end();
  // A sink that was ended has finished its writer.
  return { parts, ...endings[0]! };
}

/** All the text of one kind of part. */
export function textOf(parts: readonly AnswerPart[], type: "text" | "reasoning"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("");
}
