import { afterAll } from "vitest";
import type { GenerationEvent, Message, TerminationSignal, Usage } from "../../src/index.ts";
import { createLlamaEngine } from "../../src/llama/index.ts";
import type { LlamaEngine, LlamaEngineOptions, LlamaRequest } from "../../src/llama/index.ts";
import { finishOf, textOf } from "./events.ts";

/** A tool call, put together from its events. */
interface ReadCall {
  readonly name: string;
  readonly json: string;
  readonly isComplete: boolean;
}

/** Everything that came of one generation. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ReadCall[];
  readonly usage: Usage | undefined;
  readonly signal: TerminationSignal;
  readonly events: readonly GenerationEvent[];
}

/** An engine on Pip that is disposed of after the tests of a file. */
export function openPip(options: Partial<LlamaEngineOptions> = {}): LlamaEngine {
  const engine = createLlamaEngine({ model: "pip", idleMilliseconds: 0, ...options });
  afterAll(() => engine.dispose());
  return engine;
}

/** A request with one user message. Thinking is off unless asked for, because it takes most of the time. */
export function say(text: string, others: Partial<LlamaRequest> = {}): LlamaRequest {
  return { model: "local", messages: [user(text)], reasoning: { effort: "none" }, ...others };
}

/** The same with the model's usual thinking. */
export function think(text: string, others: Partial<LlamaRequest> = {}): LlamaRequest {
  return say(text, { reasoning: {}, ...others });
}

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** Reads an answer to its end. */
export async function read(
  engine: LlamaEngine,
  request: LlamaRequest,
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: GenerationEvent, generation: ReturnType<LlamaEngine["generate"]>) => void = () => undefined,
): Promise<Answer> {
  const events: GenerationEvent[] = [];
  const generation = engine.generate(request, signal);
  for await (const event of generation) {
    events.push(event);
    onEvent(event, generation);
  }
  return toAnswer(events);
}

function toAnswer(events: readonly GenerationEvent[]): Answer {
  const calls = events.filter((event) => event.type === "tool-call-start");
  return {
    events,
    text: textOf(events),
    reasoning: textOf(events, "reasoning"),
    signal: finishOf(events),
    usage: events.findLast((event) => event.type === "usage")?.usage,
    calls: calls.map(({ callId, name }) => ({
      name,
      json: events
        .filter((event) => event.type === "tool-call-delta" && event.callId === callId)
        .map((event) => (event.type === "tool-call-delta" ? event.json : ""))
        .join(""),
      isComplete: events.some((event) => event.type === "tool-call-end" && event.callId === callId),
    })),
  };
}
