import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent, TerminationReason, Usage } from "../../src/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import type { WireFormat } from "../../src/wire/index.ts";
import { unwrapSignature, wrapSignature } from "../../src/wire/signatures.ts";
import { decodeChunks } from "../support/answers.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { anyGeneration, fromEvents, toEvents } from "../support/generations.ts";
import type { Generation, GenerationPart, Signed } from "../support/generations.ts";
import { same } from "../support/same.ts";
import { toBytes } from "../support/wire-bodies.ts";

type Dialect = keyof typeof WIRE_FORMATS;

/** What a dialect cannot say. Everything that is not listed here has to survive. */
interface Losses {
  /** What is left of a part; nothing if the part is lost. */
  part(part: GenerationPart): GenerationPart | undefined;
  usage(usage: Usage | undefined): Usage | undefined;
  /** Whether an error leaves room for token counts. */
  readonly countsErrors: boolean;
  /** What a reason is read back as when only the dialect's own fields are read. */
  readonly reasons: Partial<Record<TerminationReason, TerminationReason>>;
}

const withoutSignature = <Part extends GenerationPart>(part: Part): Part => {
  const { signature: _lost, signedBy: _nobody, ...rest } = part as Part & Signed;
  return rest as Part;
};
const withoutCallSignature = (part: GenerationPart): GenerationPart =>
  part.type === "call" ? withoutSignature(part) : part;
/** Thinking that is withheld and thinking that is only not shown look the same to a reader of the answer. */
const withoutRedaction = (part: GenerationPart): GenerationPart => {
  if (part.type !== "reasoning") return part;
  const { redacted: _lost, ...rest } = part;
  return rest;
};
/** To a reader of the answer, whoever has sent it has signed it; another's proof is wrapped. */
const signedBy =
  (dialect: Dialect) =>
  (part: GenerationPart): GenerationPart => {
    if ((part.type !== "reasoning" && part.type !== "call") || part.signature === undefined) return part;
    const isRedacted = dialect === "gemini" && part.type === "reasoning" && part.redacted === true;
    return { ...part, signature: wrapSignature(part.signature, part.signedBy, dialect, isRedacted), signedBy: dialect };
  };

const LOSSES: Readonly<Record<Dialect, Losses>> = {
  "openai-chat": {
    // Thinking that is nothing but its signature is lost with it. Only Google's proof for a call has a place.
    part: (part) => {
      if (part.type === "reasoning" && part.text === "") return undefined;
      return part.type === "call" && part.signedBy === "gemini" ? part : withoutSignature(part);
    },
    usage: (usage) => usage,
    countsErrors: false,
    reasons: {
      stop_sequence: "natural_completion",
      context_window_exceeded: "token_limit_reached",
      paused: "token_limit_reached",
      repetition_detected: "token_limit_reached",
      budget_exceeded: "token_limit_reached",
      cancelled: "natural_completion",
      unknown: "token_limit_reached",
    },
  },
  "openai-responses": {
    part: (part) => withoutRedaction(withoutCallSignature(signedBy("openai-responses")(part))),
    // Its counts have no way to be unknown.
    usage: (usage) => usage && { cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, ...usage },
    countsErrors: true,
    reasons: {
      stop_sequence: "natural_completion",
      context_window_exceeded: "token_limit_reached",
      repetition_detected: "token_limit_reached",
      budget_exceeded: "token_limit_reached",
    },
  },
  "anthropic-messages": {
    part: (part) => withoutCallSignature(signedBy("anthropic-messages")(part)),
    // The dialect has no answer without counts, so that zeros stand for counts nobody knows.
    usage: (usage) => usage ?? { inputTokens: 0, outputTokens: 0 },
    countsErrors: false,
    reasons: {
      repetition_detected: "token_limit_reached",
      budget_exceeded: "token_limit_reached",
      cancelled: "natural_completion",
    },
  },
  gemini: {
    // A call is sent when it is whole, or not at all.
    part: (part) => (part.type === "call" && !part.isEnded ? undefined : withoutRedaction(signedBy("gemini")(part))),
    usage: (usage) => usage,
    countsErrors: false,
    reasons: {
      stop_sequence: "natural_completion",
      context_window_exceeded: "token_limit_reached",
      repetition_detected: "token_limit_reached",
      budget_exceeded: "token_limit_reached",
      cancelled: "unknown",
    },
  },
};

function encode(format: WireFormat, events: readonly GenerationEvent[]): string {
  let stream = "";
  const sink = format.encodeStream({ created: 1 })({ push: (frame) => (stream += frame), end: () => undefined });
  for (const event of events) sink.push(event);
  sink.end();
  return stream;
}

/** The frames without the field that carries the signal in our own words. */
function withoutExtension(stream: string): string {
  const strip = (json: string): string =>
    JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === "fullstop" ? undefined : value)));
  const lines = stream.split("\n");
  return lines.map((line) => (line.startsWith("data: {") ? `data: ${strip(line.slice(6))}` : line)).join("\n");
}

/** Parts and counts as they survive a dialect. Errors keep what came before them, unless the whole answer is replaced. */
function survive(dialect: Dialect, generation: Generation): Pick<Generation, "parts" | "usage"> {
  const losses = LOSSES[dialect];
  const parts = generation.parts
    .filter((part) => part.type !== "opaque" || part.format === dialect)
    .map((part) => losses.part(part.type === "call" && part.isEnded ? withArguments(part) : part))
    .filter((part) => part !== undefined);
  const isLost = generation.signal.reason === "error_termination" && !losses.countsErrors;
  return { parts: rejoin(parts), usage: isLost ? undefined : losses.usage(generation.usage) };
}

/** Whoever runs a call expects an object. */
function withArguments(call: Extract<GenerationPart, { type: "call" }>): GenerationPart {
  return call.json === "" ? { ...call, json: "{}" } : call;
}

/** Losing a part or a signature brings neighbours together. */
function rejoin(parts: readonly GenerationPart[]): readonly GenerationPart[] {
  const head: GenerationEvent[] = [];
  const rest = toEvents({ id: "", model: "", parts, usage: undefined, signal: NO_SIGNAL }, []);
  return fromEvents([...head, ...rest]).parts;
}

const NO_SIGNAL = {
  shouldTerminate: true,
  reason: "unknown",
  confidence: "low",
  providerSpecific: { originalField: "", originalValue: "" },
} as const;

const DIALECTS = Object.keys(WIRE_FORMATS) as Dialect[];

describe.each(DIALECTS)("a generation written and read in %s", (dialect) => {
  const format = WIRE_FORMATS[dialect];
  const anyCuts = fc.array(fc.nat(), { maxLength: 4 });

  it("is the same, however its events and its bytes are cut", () => {
    fc.assert(
      fc.property(anyGeneration, anyCuts, anyCuts, (generation, textCuts, byteCuts) => {
        const bytes = toBytes(encode(format, toEvents(generation, textCuts)));
        const { parts, usage, signal, ...head } = fromEvents(decodeChunks(format, cutBytesAt(bytes, byteCuts)));
        const expected = survive(dialect, generation);
        same(dialect === "openai-chat" ? withoutDetails(parts) : parts, expected.parts);
        // Anthropic counts before the first word, so an error can have counts that nobody gave.
        if (generation.signal.reason !== "error_termination") same(usage, expected.usage);
        same(signal, generation.signal);
        const isBareError = parts.length === 0 && signal.reason === "error_termination";
        if (!isBareError) same(head, { id: generation.id, model: generation.model });
      }),
      { numRuns: 2_000 },
    );
  });

  it("ends for the nearest reason the dialect has, when only its own fields are read", () => {
    fc.assert(
      fc.property(anyGeneration, (generation) => {
        const stream = withoutExtension(encode(format, toEvents(generation, [])));
        const { signal, parts } = fromEvents(decodeChunks(format, [toBytes(stream)]));
        const { reason } = generation.signal;
        const nearest = LOSSES[dialect].reasons[reason] ?? reason;
        const hasCalls = parts.some(({ type }) => type === "call");
        same(signal.reason, nearest === "natural_completion" && hasCalls ? "tool_calls" : nearest);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is the same as a whole answer", () => {
    fc.assert(
      fc.property(anyGeneration, anyCuts, (generation, cuts) => {
        const { body, status } = format.encodeResponse(toEvents(generation, cuts), { created: 1 });
        const read = fromEvents(format.decodeResponse(JSON.parse(JSON.stringify(body)), { status }));
        same(read.signal, generation.signal);
        if (status !== 200) return;
        // A whole answer in Chat Completions has one text, one thought and a list of calls, in no order.
        const expected = survive(dialect, generation);
        same(sortParts(dialect, read.parts), sortParts(dialect, expected.parts));
        if (generation.signal.reason !== "error_termination") same(read.usage, expected.usage);
      }),
      { numRuns: 1_000 },
    );
  });

  it("gives every proof back to whoever has given it", () => {
    fc.assert(
      fc.property(anyGeneration, (generation) => {
        const whole = format.decodeResponse(format.encodeResponse(toEvents(generation, [])).body);
        const streamed = decodeChunks(format, [toBytes(encode(format, toEvents(generation, [])))]);
        for (const read of [whole, streamed]) {
          const isError = generation.signal.reason === "error_termination";
          // Chat has its proofs of thinking at the end, which an error takes the place of.
          if (isError && (read === whole || dialect === "openai-chat")) continue;
          const isNothing = dialect !== "openai-chat" && survive(dialect, generation).parts.length === 0;
          const given = isNothing ? [] : givenProofs(dialect, generation);
          same(proofsIn(dialect, fromEvents(read).parts), given);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("is told when something is lost", () => {
    const warnings: string[] = [];
    const events: GenerationEvent[] = [
      { type: "tool-call-start", callId: "a", name: "add" },
      { type: "tool-call-delta", callId: "a", json: "{}" },
      { type: "tool-call-end", callId: "a", signature: "proof" },
      { type: "finish", signal: { ...NO_SIGNAL, reason: "repetition_detected" } },
    ];
    format.encodeResponse(events, { onWarning: ({ field }) => void warnings.push(field) });
    expect(warnings).toContain("finish");
  });
});

/** How a client sends an answer back as part of the conversation. */
const NEXT_REQUESTS: Readonly<
  Record<Exclude<Dialect, "openai-chat">, (body: Readonly<Record<string, unknown>>) => unknown>
> = {
  "openai-responses": ({ output }) => ({
    model: "m",
    input: [{ role: "user", content: "Hi" }, ...(output as readonly unknown[])],
  }),
  "anthropic-messages": ({ content }) => ({
    model: "m",
    max_tokens: 9,
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content },
    ],
  }),
  gemini: ({ candidates }) => ({
    contents: [{ role: "user", parts: [{ text: "Hi" }] }, (candidates as readonly { content: unknown }[])[0]?.content],
  }),
};

describe.each(Object.entries(NEXT_REQUESTS))("an answer that a client of %s sends back", (name, nextRequest) => {
  const dialect = name as Dialect;

  it.each(Object.keys(NEXT_REQUESTS))("has the proofs of %s as they were", (signer) => {
    const proof = { signature: "proof", signedBy: signer };
    const { body } = WIRE_FORMATS[dialect].encodeResponse([
      { type: "reasoning", text: "Hm." },
      { type: "reasoning", text: "", ...proof },
      { type: "text", text: "Yes." },
      { type: "finish", signal: { ...NO_SIGNAL, reason: "natural_completion" } },
    ]);
    const sent: unknown = JSON.parse(JSON.stringify(nextRequest(body)));
    const { request } = WIRE_FORMATS[dialect].decodeRequest(sent, { model: "m" });
    expect(request.messages[1]?.content).toEqual([
      { type: "reasoning", text: "Hm.", ...proof },
      { type: "text", text: "Yes." },
    ]);
  });
});

type SignedPart = Extract<GenerationPart, { type: "reasoning" | "call" }> & { readonly signature: string };

function isSigned(part: GenerationPart): part is SignedPart {
  return (part.type === "reasoning" || part.type === "call") && part.signature !== undefined;
}

/** The proofs that a reader finds; in Chat those of calls come before those of thinking. */
function proofsIn(dialect: Dialect, parts: readonly GenerationPart[]): readonly unknown[] {
  const proofs = parts.filter(isSigned);
  if (dialect !== "openai-chat") {
    return proofs.map((part) => unwrapSignature(part.signature, part.signedBy ?? dialect));
  }
  const thoughts = proofs
    .filter(({ type }) => type === "reasoning")
    .flatMap(({ signature }) => JSON.parse(signature) as { readonly signature: string }[]);
  const calls = proofs.filter(({ type }) => type === "call");
  return [
    ...calls.map(({ signature }) => ({ signature, signedBy: "gemini" })),
    ...thoughts.map(({ signature }) => unwrapSignature(signature, dialect)),
  ];
}

/** What Chat tells of thinking besides its proofs, which stand at the end of a stream. */
function withoutDetails(parts: readonly GenerationPart[]): readonly GenerationPart[] {
  return parts
    .map((part) => (part.type === "reasoning" ? withoutSignature(part) : part))
    .filter((part) => part.type !== "reasoning" || part.text !== "");
}

/** The proofs for which a dialect has a place. */
function givenProofs(dialect: Dialect, { parts }: Generation): readonly unknown[] {
  const signed = parts.filter(isSigned);
  const thoughts = signed.filter((part) => part.type === "reasoning");
  if (dialect === "openai-chat") {
    const google = signed.filter((part) => part.type === "call" && part.signedBy === "gemini");
    const known = thoughts.filter(({ signedBy: signer }) => signer !== undefined);
    return [
      ...google.map(({ signature }) => ({ signature, signedBy: "gemini" })),
      ...known.map(({ signature, signedBy: signer, redacted }) => {
        return { signature, signedBy: signer, ...(redacted === true && { redacted }) };
      }),
    ];
  }
  const held = dialect === "gemini" ? signed : thoughts;
  return held.map((part) => ({
    signature: part.signature,
    signedBy: part.signedBy ?? dialect,
    ...(dialect === "gemini" && part.type === "reasoning" && part.redacted === true && { redacted: true }),
  }));
}

function sortParts(dialect: Dialect, parts: readonly GenerationPart[]): unknown {
  if (dialect !== "openai-chat") return parts;
  const join = (type: "text" | "reasoning"): string =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  return [join("text"), join("reasoning"), parts.filter(({ type }) => type === "call")];
}
