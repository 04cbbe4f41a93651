import type {
  CitationEvent,
  GenerationEvent,
  ReasoningEvent,
  ToolCallEndEvent,
  ToolCallStartEvent,
  Usage,
} from "../events.ts";
import type { AssistantMessage, GenerationRequest, ReasoningPart, TextPart, ToolCallPart } from "../request.ts";
import type { Sink } from "../stage.ts";
import { truncatedSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { NOTHING_USED, estimateUsage, settleUsage } from "../usage.ts";
import { listOf, parseJson } from "../wire/json.ts";

/** The field for the citations of a text in the requests of those dialects that have one. */
const CITATION_FIELDS: ReadonlyMap<string, string> = new Map([["anthropic-messages", "citations"]]);

/** One part of what a model has answered. */
export type AnswerPart = AssistantMessage["content"][number];

/** One answer of the model, put together. */
export interface AgentAnswer {
  /** What can go into the history, in order: calls that were cut are not among it. */
  readonly content: readonly AnswerPart[];
  /** Calls whose arguments are not whole. They must not be run. */
  readonly cutCalls: readonly ToolCallPart[];
  readonly usage: Usage | undefined;
  readonly signal: TerminationSignal;
  /** Whether anything came that somebody could have seen. */
  readonly wasShown: boolean;
  /** Whether it began with the end of the text that it was to continue, which is not in its content. */
  readonly repeatsEnd?: boolean | undefined;
}

/** A call under way, and its place among the parts. */
interface OpenCall extends Omit<ToolCallStartEvent, "type"> {
  readonly place: number;
  json: string;
}

/** Puts the events of one generation together as they pass. */
export class AnswerCollector implements Sink<GenerationEvent> {
  readonly #parts: AnswerPart[] = [];
  /** By their ids. */
  readonly #open = new Map<string, OpenCall>();
  /** Calls whose ids were used again before they had ended: no end can be theirs any more. */
  readonly #lost: OpenCall[] = [];
  #usage: Usage | undefined;
  #signal: TerminationSignal | undefined;
  #wasShown = false;

  push(event: GenerationEvent): void {
    switch (event.type) {
      case "text":
        this.#addText(event.text);
        break;
      case "reasoning":
        this.#addReasoning(event);
        break;
      case "tool-call-start":
        this.#wasShown = true;
        this.#startCall(event);
        break;
      case "tool-call-delta": {
        const call = this.#open.get(event.callId);
        if (call !== undefined) call.json += event.json;
        break;
      }
      case "tool-call-end":
        this.#endCall(event);
        break;
      case "opaque":
        this.#parts.push({ type: "opaque", format: event.format, value: event.value });
        break;
      case "citation":
        this.#addCitation(event);
        break;
      case "usage":
        this.#usage = toCounts(event.usage);
        break;
      case "finish":
        this.#signal = event.signal;
        break;
      case "start":
        break;
    }
  }

  end(): void {
    this.#signal ??= truncatedSignal();
  }

  /** What has come. Without a finish it is an answer that was cut. */
  answer(): AgentAnswer {
    const open = [...this.#lost, ...this.#open.values()];
    const cut = new Set(open.map(({ place }) => place));
    const cutCalls = open.map(({ callId, name, json }) => ({ type: "tool-call" as const, callId, name, json }));
    return {
      content: this.#parts.filter((_, place) => !cut.has(place)),
      cutCalls,
      usage: this.#usage,
      signal: this.#signal ?? truncatedSignal(),
      wasShown: this.#wasShown,
    };
  }

  #addText(text: string): void {
    if (text === "") return;
    this.#wasShown = true;
    const last = this.#parts.at(-1);
    // A text with citations has ended with them: they are for all of it.
    const goesOn = last?.type === "text" && last.native === undefined;
    if (goesOn) this.#parts.splice(-1, 1, { ...last, text: last.text + text });
    else this.#parts.push({ type: "text", text });
  }

  /** Keeps a citation for the provider who wants it back with its text. */
  #addCitation({ format, value }: CitationEvent): void {
    const last = this.#parts.at(-1);
    const field = CITATION_FIELDS.get(format);
    if (last?.type !== "text" || field === undefined || value === undefined) return;
    const known = listOf(last.native?.fields[field]);
    this.#parts.splice(-1, 1, { ...last, native: { format, fields: { [field]: [...known, value] } } });
  }

  #addReasoning({ text, signature, signedBy, redacted }: ReasoningEvent): void {
    if (text !== "") this.#wasShown = true;
    const last = this.#parts.at(-1);
    const proof = signature === undefined ? {} : { signature, ...(signedBy !== undefined && { signedBy }) };
    // Thinking goes on until its signature; thinking that is withheld is a part of its own.
    if (last?.type === "reasoning" && last.signature === undefined && redacted !== true) {
      this.#parts.splice(-1, 1, { ...last, text: last.text + text, ...proof });
    } else if (text !== "" || signature !== undefined) {
      this.#parts.push({ type: "reasoning", text, ...proof, ...(redacted === true && { redacted }) });
    }
  }

  #startCall({ callId, name, isText, native }: ToolCallStartEvent): void {
    const lost = this.#open.get(callId);
    if (lost !== undefined) this.#lost.push(lost);
    // Behind those that began before it.
    this.#open.delete(callId);
    this.#open.set(callId, { place: this.#parts.length, json: "", callId, name, isText, native });
    this.#parts.push({ type: "tool-call", callId, name, json: "" });
  }

  #endCall({ callId, signature, signedBy }: ToolCallEndEvent): void {
    const call = this.#open.get(callId);
    // A call whose arguments nobody can read is not whole, whatever is said of it.
    if (call === undefined || (call.json.trim() !== "" && parseJson(call.json) === undefined)) return;
    this.#open.delete(callId);
    const { place, name, json, isText, native } = call;
    this.#parts.splice(place, 1, {
      type: "tool-call",
      callId,
      name,
      json: json === "" ? "{}" : json,
      ...(isText === true && { isText }),
      ...(signature !== undefined && { signature }),
      ...(signedBy !== undefined && { signedBy }),
      ...(native !== undefined && { native }),
    });
  }
}

/** All the visible text of an answer. */
export function textOf(content: readonly AnswerPart[]): string {
  return joinTexts(content, "text");
}

/** All the thinking of an answer that can be seen. */
export function reasoningOf(content: readonly AnswerPart[]): string {
  return joinTexts(content, "reasoning");
}

function joinTexts(content: readonly AnswerPart[], type: (TextPart | ReasoningPart)["type"]): string {
  return content.map((part) => (part.type === type ? part.text : "")).join("");
}

/** The calls of an answer that can be run. */
export function callsOf(content: readonly AnswerPart[]): readonly ToolCallPart[] {
  return content.filter((part) => part.type === "tool-call");
}

/**
 * What an answer has cost: the provider's counts, or an estimate that says it is one. A stream that was broken off, be it
 * by a rule (`hasEnded` is false then), may have counts from its beginning only; a request that was refused has cost
 * nothing.
 */
export function usageOf(answer: AgentAnswer, request: GenerationRequest, hasEnded: boolean): Usage {
  const { usage, signal, wasShown } = answer;
  const isBroken = !hasEnded || signal.reason === "cancelled" || signal.detail === "truncated";
  if (usage !== undefined && !isBroken) return usage;
  if (usage === undefined && !wasShown && signal.reason === "error_termination") return NOTHING_USED;
  const output = textOf(answer.content).length + reasoningOf(answer.content).length;
  const calls = [...callsOf(answer.content), ...answer.cutCalls].reduce((sum, { json }) => sum + json.length, 0);
  return settleUsage(usage, estimateUsage(request, output + calls));
}

function toCount(value: number): number {
  return Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

/** Counts as they can be added and compared, whatever an engine has sent. */
function toCounts(usage: Usage): Usage {
  return { ...usage, inputTokens: toCount(usage.inputTokens), outputTokens: toCount(usage.outputTokens) };
}
