import fc from "fast-check";
import { createTerminationSignal } from "../../src/index.ts";
import type { GenerationEvent, TerminationReason, TerminationSignal, Usage } from "../../src/index.ts";
import { cutAt } from "./cuts.ts";
import { REASONS } from "./reasons.ts";

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
  | ({ readonly type: "reasoning"; readonly text: string; readonly redacted?: true } & Signed)
  | ({
      readonly type: "call";
      readonly callId: string;
      readonly name: string;
      readonly json: string;
      readonly isEnded: boolean;
    } & Signed)
  | { readonly type: "opaque"; readonly format: string; readonly value: unknown };

/** What a provider has proved to be its own, and who that was. */
export interface Signed {
  readonly signature?: string;
  readonly signedBy?: string;
}

const anyWord = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  // Texts that begin alike are what a reader who fills in what is missing takes for one another.
  fc.constantFrom("O", "OK", "OK, let me look"),
);
const anySigner = fc.constantFrom(undefined, "openai-responses", "anthropic-messages", "gemini", "bedrock-converse");
const anySignature = fc.tuple(fc.stringMatching(/^[a-z]{6}$/), anySigner).map(toProof);
const anyProof = fc.option(anySignature, { nil: {} });

function toProof([signature, signedBy]: readonly [string, string | undefined]): Signed {
  return { signature, ...(signedBy !== undefined && { signedBy }) };
}

/** Parts as their providers send them, which no other dialect has. */
const OPAQUE: readonly Extract<GenerationPart, { type: "opaque" }>[] = [
  {
    type: "opaque",
    format: "anthropic-messages",
    value: { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "news" } },
  },
  {
    type: "opaque",
    format: "anthropic-messages",
    value: { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ url: "https://example.org" }] },
  },
  { type: "opaque", format: "gemini", value: { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } } },
  {
    type: "opaque",
    format: "openai-responses",
    value: { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "news" } },
  },
];

const anyArguments = fc.oneof(
  fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.oneof(anyWord, fc.nat())).map((input) => JSON.stringify(input)),
  // A call without arguments, as sources that are no reader of ours may tell it.
  fc.constant(""),
);

const anyPart: fc.Arbitrary<GenerationPart> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("text" as const), text: anyWord }) },
  {
    weight: 3,
    arbitrary: fc.tuple(anyWord, anyProof).map(([text, proof]) => ({ type: "reasoning" as const, text, ...proof })),
  },
  anySignature.map((proof) => ({ type: "reasoning" as const, text: "", ...proof, redacted: true as const })),
  {
    weight: 3,
    arbitrary: fc
      .tuple(anyArguments, anyProof)
      .map(([json, proof]) => ({ type: "call" as const, callId: "", name: "add", json, isEnded: true, ...proof })),
  },
  fc.constantFrom(...OPAQUE),
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
    isCutBare: fc.boolean(),
  })
  .map(({ drafts, usage, reason: drawn, isCut, isCutBare }) => {
    const parts = joinParts(drafts).map((part, index) =>
      part.type === "call" ? { ...part, callId: `call_${index}` } : part,
    );
    const last = parts.at(-1);
    const canBeCut =
      isCut && (drawn === "token_limit_reached" || drawn === "error_termination" || drawn === "cancelled");
    if (canBeCut && last?.type === "call") {
      const { signature: _none, signedBy: _nobody, ...call } = last;
      parts.splice(-1, 1, { ...call, json: isCutBare ? "" : last.json.slice(0, -1), isEnded: false });
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
      const { callId, name, json: whole } = part;
      events.push({ type: "tool-call-start", callId, name });
      if (whole !== "") for (const json of cutAt(whole, cuts)) events.push({ type: "tool-call-delta", callId, json });
      if (part.isEnded) events.push({ type: "tool-call-end", callId, ...proofOf(part) });
      continue;
    }
    if (part.type === "opaque") {
      events.push(part);
      continue;
    }
    if (part.text !== "") for (const text of cutAt(part.text, cuts)) events.push({ type: part.type, text });
    if (part.type === "reasoning" && part.signature !== undefined) {
      events.push({ type: "reasoning", text: "", ...proofOf(part), ...(part.redacted === true && { redacted: true }) });
    }
  }
  if (usage !== undefined) events.push({ type: "usage", usage });
  events.push({ type: "finish", signal });
  return events;
}

/** The proof of a part or an event, without the fields that are not there. */
function proofOf({ signature, signedBy }: { [Name in keyof Signed]?: Signed[Name] | undefined }): Signed {
  return { ...(signature !== undefined && { signature }), ...(signedBy !== undefined && { signedBy }) };
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
          ...proofOf(event),
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
        change(event.callId, { isEnded: true, ...proofOf(event) });
        break;
      case "opaque":
        parts.push(event);
        break;
      case "citation":
        // What is told of sources has tests of its own.
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
