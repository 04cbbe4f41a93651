import type { GenerationEvent } from "fullstop";
import { decodeAnyStream } from "fullstop/detect";
import { ANSWER_FORMATS } from "fullstop/wire";
import type { WireFormatName } from "fullstop/wire";
import { Answer } from "../../answer/fold.ts";

/** The dialects that can be read. */
export const FORMAT_NAMES: readonly string[] = Object.keys(ANSWER_FORMATS);

/** A recorded answer, decoded. */
export interface Recording {
  readonly format: string;
  /** False where nothing in it meant anything in its dialect, which then may be a wrong guess. */
  readonly isKnown: boolean;
  readonly bytes: number;
  readonly events: readonly GenerationEvent[];
  readonly answer: Answer;
}

/** Decodes a recorded answer, in a dialect that is named or else recognised. */
export function readRecording(bytes: Uint8Array, format: string): Recording {
  const events: GenerationEvent[] = [];
  const answer = new Answer();
  let found: string = format === "" ? "openai-chat" : format;
  const named: WireFormatName | undefined = isFormatName(format) ? format : undefined;
  const stage =
    named === undefined
      ? decodeAnyStream({ fallback: "openai-chat", onFormat: (recognised) => void (found = recognised) })
      : ANSWER_FORMATS[named].decodeStream({});
  const sink = stage({
    push(event) {
      events.push(event);
      answer.add(event);
    },
    end: () => undefined,
  });
  sink.push(bytes);
  sink.end();
  const isKnown = events.length > 1 || answer.signal?.detail !== "truncated";
  return { format: found, isKnown, bytes: bytes.length, events, answer };
}

function isFormatName(name: string): name is WireFormatName {
  return Object.hasOwn(ANSWER_FORMATS, name);
}
