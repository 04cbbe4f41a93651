import fc from "fast-check";
import { createTerminationSignal } from "../../src/index.ts";
import type { GenerationEvent, TerminationReason, TerminationSignal, Usage } from "../../src/index.ts";
import { cutAt } from "./cuts.ts";

/** Every reason a generation can end for. */
const REASONS: readonly TerminationReason[] = [
  "natural_completion",
  "stop_sequence",
  "token_limit_reached",
  "context_window_exceeded",
  "tool_calls",
  "content_filtered",
  "paused",
  "repetition_detected",
  "budget_exceeded",
  "cancelled",
  "error_termination",
  "unknown",
];

/** A generation as a reader sees it: what does not depend on how it was cut into events. */
export interface Generation {
  readonly id: string;
  readonly model: string;
  readonly parts: readonly GenerationPart[];
  readonly usage: Usage | undefined;
  readonly signal: TerminationSignal;
}

/** A stretch of a generation. */
export type GenerationPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly signature?: string; readonly redacted?: true }
  | {
      readonly type: "call";
      readonly callId: string;
      readonly name: string;
      readonly json: string;
      readonly isEnded: boolean;
      readonly signature?: string;
    };

const anyWord = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const anyProof = fc.option(fc.stringMatching(/^[a-z]{6}$/), { nil: undefined });

const anyPart: fc.Arbitrary<GenerationPart> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: anyWord }),
  fc
    .tuple(anyWord, anyProof)
    .map(([text, signature]) => ({ type: "reasoning" as const, text, ...(signature !== undefined && { signature }) })),
  fc.constant({ type: "reasoning" as const, text: "", signature: "sealed", redacted: true as const }),
  fc
    .tuple(fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.oneof(anyWord, fc.nat())), anyProof)
    .map(([input, signature]) => ({
      type: "call" as const,
      callId: "",
      name: "add",
      json: JSON.stringify(input),
      isEnded: true,
      ...(signature !== undefined && { signature }),
    })),
);

const anyUsage: fc.Arbitrary<Usage> = fc
  .record({ input: fc.nat(50), output: fc.nat(50), cached: fc.nat(9), reasoning: fc.nat(9) })
  .map(({ input, output, cached, reasoning }) => ({
    inputTokens: input + cached,
    outputTokens: output + reasoning,
    cachedInputTokens: cached,
    reasoningTokens: reasoning,
  }));

/** Any sealed generation: parts in any order, the last call possibly cut, every kind of ending. */
export const anyGeneration: fc.Arbitrary<Generation> = fc
  .record({
    drafts: fc.array(anyPart, { maxLength: 6 }),
    usage: fc.option(anyUsage, { nil: undefined }),
    reason: fc.constantFrom(...REASONS),
    isCut: fc.boolean(),
  })
  .map(({ drafts, usage, reason: drawn, isCut }) => {
    const parts = joinParts(drafts).map((part, index) =>
      part.type === "call" ? { ...part, callId: `call_${index}` } : part,
    );
    const last = parts.at(-1);
    const canBeCut =
      isCut && (drawn === "token_limit_reached" || drawn === "error_termination" || drawn === "cancelled");
    if (canBeCut && last?.type === "call") {
      const { signature: _none, ...call } = last;
      parts.splice(-1, 1, { ...call, json: last.json.slice(0, -1), isEnded: false });
    }
    const hasCalls = parts.some(({ type }) => type === "call");
    // A natural end with calls is what `seal` calls tool calls, and tool calls without any are none.
    const reason =
      drawn === "natural_completion" && hasCalls
        ? "tool_calls"
        : drawn === "tool_calls" && !hasCalls
          ? "natural_completion"
          : drawn;
    return { id: "gen_1", model: "model-1", parts, usage, signal: signalOf(reason) };
  });

function signalOf(reason: TerminationReason): TerminationSignal {
  return createTerminationSignal({
    reason,
    originalField: "field",
    originalValue: "value",
    message: `It ended: ${reason}`,
    metadata: { offset: 7 },
    ...(reason === "stop_sequence" && { stopSequence: "END" }),
  });
}

/** Text that follows text is the same text; thinking that follows thinking is the same, up to its signature. */
function joinParts(parts: readonly GenerationPart[]): GenerationPart[] {
  const joined: GenerationPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text") joined.splice(-1, 1, { ...last, text: last.text + part.text });
    else if (part.type === "reasoning" && last?.type === "reasoning" && isOpen(last) && part.redacted !== true) {
      joined.splice(-1, 1, { ...part, text: last.text + part.text });
    } else joined.push(part);
  }
  return joined;
}

/** Whether thinking can go on. What comes after its signature is other thinking. */
function isOpen(part: Extract<GenerationPart, { type: "reasoning" }>): boolean {
  return part.signature === undefined;
}

/** A generation as events, its texts cut at the given places. */
export function toEvents({ id, model, parts, usage, signal }: Generation, cuts: readonly number[]): GenerationEvent[] {
  const events: GenerationEvent[] = [{ type: "start", id, model }];
  for (const part of parts) {
    if (part.type === "call") {
      const { callId, name, signature } = part;
      events.push({ type: "tool-call-start", callId, name });
      for (const json of cutAt(part.json, cuts)) events.push({ type: "tool-call-delta", callId, json });
      if (part.isEnded) events.push({ type: "tool-call-end", callId, ...(signature !== undefined && { signature }) });
      continue;
    }
    if (part.text !== "") for (const text of cutAt(part.text, cuts)) events.push({ type: part.type, text });
    if (part.type === "reasoning" && part.signature !== undefined) {
      const { signature, redacted } = part;
      events.push({ type: "reasoning", text: "", signature, ...(redacted === true && { redacted }) });
    }
  }
  if (usage !== undefined) events.push({ type: "usage", usage });
  events.push({ type: "finish", signal });
  return events;
}

/** Events as the generation they make up. Throws unless exactly one finish ends them. */
export function fromEvents(events: readonly GenerationEvent[]): Generation {
  const parts: GenerationPart[] = [];
  let head = { id: "", model: "" };
  let usage: Usage | undefined;
  let signal: TerminationSignal | undefined;
  const change = (callId: string, fields: Partial<Extract<GenerationPart, { type: "call" }>>): void => {
    const index = parts.findLastIndex((part) => part.type === "call" && part.callId === callId);
    parts.splice(index, 1, { ...(parts[index] as Extract<GenerationPart, { type: "call" }>), ...fields });
  };
  for (const event of events) {
    if (signal !== undefined) throw new Error(`a ${event.type} comes after the finish`);
    switch (event.type) {
      case "start":
        head = { id: event.id, model: event.model };
        break;
      case "text":
        parts.push({ type: "text", text: event.text });
        break;
      case "reasoning":
        parts.push({
          type: "reasoning",
          text: event.text,
          ...(event.signature !== undefined && { signature: event.signature }),
          ...(event.redacted === true && { redacted: event.redacted }),
        });
        break;
      case "tool-call-start":
        parts.push({ type: "call", callId: event.callId, name: event.name, json: "", isEnded: false });
        break;
      case "tool-call-delta": {
        const call = parts.findLast((part) => part.type === "call" && part.callId === event.callId);
        change(event.callId, { json: (call?.type === "call" ? call.json : "") + event.json });
        break;
      }
      case "tool-call-end":
        change(event.callId, { isEnded: true, ...(event.signature !== undefined && { signature: event.signature }) });
        break;
      case "opaque":
        break;
      case "usage":
        usage = event.usage;
        break;
      case "finish":
        signal = event.signal;
        break;
    }
  }
  if (signal === undefined) throw new Error("there is no finish");
  return { ...head, parts: joinParts(parts), usage, signal };
}
