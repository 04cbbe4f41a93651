import type { GenerationEvent, TerminationSignal, Usage } from "../../src/index.ts";
import type { AnswerFormat, DecodeOptions } from "../../src/wire/format.ts";

/** All that an answer said, put together. */
export interface Told {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string; readonly isEnded: boolean }[];
  readonly usage: Usage | undefined;
  readonly signal: TerminationSignal;
}

/** Sends chunks through a format's decoder, to the end. */
export function decodeChunks(
  format: AnswerFormat,
  chunks: Iterable<Uint8Array>,
  options: DecodeOptions = {},
): GenerationEvent[] {
  const events: GenerationEvent[] = [];
  const sink = format.decodeStream(options)({ push: (event) => void events.push(event), end: () => undefined });
  for (const chunk of chunks) sink.push(chunk);
  sink.end();
  return events;
}

/** Puts the events of one answer together. Throws unless exactly one finish ends them. */
export function tell(events: readonly GenerationEvent[]): Told {
  let text = "";
  let reasoning = "";
  let usage: Usage | undefined;
  let signal: TerminationSignal | undefined;
  const calls: { callId: string; name: string; arguments: string; isEnded: boolean }[] = [];
  for (const event of events) {
    if (signal !== undefined) throw new Error(`a ${event.type} comes after the finish`);
    switch (event.type) {
      case "text":
        text += event.text;
        break;
      case "reasoning":
        reasoning += event.text;
        break;
      case "tool-call-start":
        calls.push({ callId: event.callId, name: event.name, arguments: "", isEnded: false });
        break;
      case "tool-call-delta":
        calls.findLast((call) => call.callId === event.callId)!.arguments += event.json;
        break;
      case "tool-call-end":
        calls.findLast((call) => call.callId === event.callId)!.isEnded = true;
        break;
      case "opaque":
      case "citation":
        break;
      case "usage":
        usage = event.usage;
        break;
      case "finish":
        signal = event.signal;
        break;
      case "start":
        break;
    }
  }
  if (signal === undefined) throw new Error("there is no finish");
  const toolCalls = calls.map(({ name, arguments: json, isEnded }) => ({ name, arguments: json, isEnded }));
  return { text, reasoning, toolCalls, usage, signal };
}
