import { truncatedSignal } from "fullstop";
import type { GenerationEvent, Sink, StartEvent, TerminationSignal, Usage } from "fullstop";
import { SourceList } from "fullstop/control";
import type { Source } from "fullstop/control";
import type { WireFormatName } from "fullstop/wire";

/** A run of text or thinking, its pieces joined, or a tool call with its arguments as far as they came. */
export type AnswerPart =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "tool-call"; readonly name: string; readonly json: string; readonly isComplete: boolean };

/** All that an answer said, in the order in which it began to say it. */
interface AnswerSummary {
  readonly start: StartEvent | undefined;
  readonly parts: readonly AnswerPart[];
  readonly sources: readonly Source[];
  readonly usage: Usage | undefined;
  readonly signal: TerminationSignal;
}

/** An answer together with what it was read from. */
export interface InspectedAnswer {
  readonly file: string;
  readonly format: WireFormatName;
  /** How many bytes were read. */
  readonly size: number;
  readonly summary: AnswerSummary;
}

/** Takes the events of one answer and puts them together. */
export interface SummaryCollector {
  readonly sink: Sink<GenerationEvent>;
  /** What was said so far. An answer without a finish was cut. */
  summarise(): AnswerSummary;
}

interface OpenCall {
  readonly type: "tool-call";
  readonly name: string;
  json: string;
  isComplete: boolean;
}

interface OpenRun {
  readonly type: "text" | "reasoning";
  text: string;
}

/** Creates a collector for the events of one answer. */
export function createSummaryCollector(): SummaryCollector {
  const parts: (OpenCall | OpenRun)[] = [];
  const openCalls = new Map<string, OpenCall>();
  const list = new SourceList();
  let start: StartEvent | undefined;
  let usage: Usage | undefined;
  let signal: TerminationSignal | undefined;

  function addText(type: "text" | "reasoning", text: string): void {
    // A proof of thinking comes without text, and says nothing to people.
    if (text === "") return;
    const last = parts.at(-1);
    if (last?.type === type) last.text += text;
    else parts.push({ type, text });
  }

  function push(event: GenerationEvent): void {
    list.add(event);
    switch (event.type) {
      case "start":
        start = event;
        break;
      case "text":
      case "reasoning":
        addText(event.type, event.text);
        break;
      case "tool-call-start": {
        const call: OpenCall = { type: "tool-call", name: event.name, json: "", isComplete: false };
        parts.push(call);
        openCalls.set(event.callId, call);
        break;
      }
      case "tool-call-delta": {
        const call = openCalls.get(event.callId);
        if (call !== undefined) call.json += event.json;
        break;
      }
      case "tool-call-end": {
        const call = openCalls.get(event.callId);
        if (call !== undefined) call.isComplete = true;
        break;
      }
      case "citation":
        // It is on the list.
        break;
      case "opaque":
        // What a provider does for itself is nothing that the answer says.
        break;
      case "usage":
        usage = event.usage;
        break;
      case "finish":
        signal = event.signal;
        break;
    }
  }

  return {
    sink: { push, end: () => undefined },
    summarise: () => ({ start, parts, sources: list.sources, usage, signal: signal ?? truncatedSignal() }),
  };
}
