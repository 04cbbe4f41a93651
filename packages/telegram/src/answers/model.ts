import { compose, defineGuard } from "fullstop";
import type {
  CitationEvent,
  Engine,
  GenerationEvent,
  GenerationRequest,
  Message,
  Stage,
  StopRuleOptions,
  TextPart,
} from "fullstop";
import { continuationPrompt, createAgentRun, defineOverlapTrimmer } from "fullstop/agent";
import type { AgentOptions, AgentRun } from "fullstop/agent";
import type { RemoteRequest } from "fullstop/engines";
import { messagesOf, withoutNotes } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import type { Question } from "./question.ts";

/** What answers, and within which bounds. */
export interface ModelSettings extends Pick<AgentOptions, "tools" | "policy" | "limits" | "settings" | "fallback"> {
  readonly engine: Engine;
  /** The model's name, as the engine knows it. */
  readonly model: string;
  /** What the model is told before every conversation. */
  readonly system?: string | undefined;
  /** What else every request has, such as `sampling` or `reasoning`. */
  readonly request?: Omit<Partial<GenerationRequest>, "model" | "messages" | "tools"> | undefined;
  /** When an answer is to end. Default: loops are ended. */
  readonly rules?: StopRuleOptions | undefined;
}

/** A question with what was said before it, ready to be asked. */
export interface Prompt {
  /** What was said before, but for an answer that is written again. */
  readonly before: readonly Message[];
  /** What is said now. */
  readonly asked: readonly Message[];
  /** The text that the answer goes on from, if it does. */
  readonly continues: string;
  /** The answer that this one is written in place of. */
  readonly replaces?: string | undefined;
}

/** Puts a question behind a conversation. */
export function composePrompt(conversation: Conversation, { task }: Question, settings: ModelSettings): Prompt {
  const messages = messagesOf(conversation);
  if (task.type === "message") return { before: messages, asked: [task.message], continues: "" };
  if (task.type === "regenerate") {
    const last = conversation.exchanges.at(-1);
    const before = messages.slice(0, messages.length - (last?.said.length ?? 0));
    const continues = last?.isContinuation === true ? lastTextOf(before) : "";
    return { before, asked: [], continues, replaces: task.of };
  }
  const continues = lastTextOf(messages);
  const { continuation } = settings.settings?.wording ?? {};
  const before = withoutNotes(messages);
  return { before, asked: [continuationPrompt(continues, { wording: continuation })], continues };
}

/** Makes the run that answers a prompt. Nothing is sent before its events are read. */
export function createRun(settings: ModelSettings, prompt: Prompt, signal: AbortSignal): AgentRun {
  const { engine, model, system, request, tools, policy, limits, settings: agentSettings, fallback } = settings;
  const messages = [...systemMessages(system), ...prompt.before, ...prompt.asked];
  return createAgentRun({
    engine,
    request: { ...request, model, messages, ...stopsOf(settings) },
    stage: stageOf(settings, prompt),
    ...(tools !== undefined && { tools }),
    ...(policy !== undefined && { policy }),
    ...(limits !== undefined && { limits }),
    ...(agentSettings !== undefined && { settings: agentSettings }),
    ...(fallback !== undefined && { fallback }),
    signal,
  });
}

/** Refuses settings with which nothing could be answered, which would else be found out by the first who asks. */
export function checkModelSettings(settings: ModelSettings): void {
  const asked: Message = { role: "user", content: [{ type: "text", text: "?" }] };
  createRun(settings, { before: [], asked: [asked], continues: "" }, new AbortController().signal);
}

/** How many messages of a run come before the conversation. */
export function systemMessages(system: string | undefined): readonly Message[] {
  return system === undefined ? [] : [{ role: "system", content: [{ type: "text", text: system }] }];
}

/**
 * The stop strings of the rules, for the request. The guard watches each answer by itself; whoever has one completed that
 * was cut has to know them, too, so that it is not cut in the middle of one and shown with it.
 */
function stopsOf({ rules = {} }: ModelSettings): Pick<RemoteRequest, "rules"> {
  const { stop, include, caseInsensitive, minTokens } = rules;
  if (stop === undefined) return {};
  return { rules: { stop, include, caseInsensitive, minTokens } };
}

function stageOf(
  { rules = { repetition: true } }: ModelSettings,
  { continues }: Prompt,
): Stage<GenerationEvent, GenerationEvent> {
  const guard = defineGuard(rules);
  if (continues === "") return guard;
  return compose(guard, compose(defineOverlapTrimmer(continues), defineOwnPlaces(continues.length)));
}

/** Behind the trimmer, citations count from the beginning of the whole answer. What is shown is the rest alone. */
function defineOwnPlaces(length: number): Stage<GenerationEvent, GenerationEvent> {
  return (next) => ({
    push: (event) => next.push(event.type === "citation" ? moveBack(event, length) : event),
    end: () => next.end(),
  });
}

function moveBack(citation: CitationEvent, length: number): CitationEvent {
  const { start, end, ...others } = citation;
  if (start === undefined || end === undefined || end <= length) return others;
  return { ...others, start: Math.max(0, start - length), end: end - length };
}

function lastTextOf(messages: readonly Message[]): string {
  const answer = messages.findLast(({ role }) => role === "assistant");
  const parts = answer?.role === "assistant" ? answer.content : [];
  return parts
    .filter((part): part is TextPart => part.type === "text")
    .map(({ text }) => text)
    .join("");
}
