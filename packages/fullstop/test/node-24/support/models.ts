import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { generateText, streamText, wrapLanguageModel } from "ai";
import { onTestFinished } from "vitest";
import { createStopMiddleware } from "../../../src/adapters/ai-sdk/index.ts";
import type { FinishedModelCall, StopMiddleware, StopMiddlewareOptions } from "../../../src/adapters/ai-sdk/index.ts";
import type { GenerationRequest } from "../../../src/index.ts";
import { finish, start, usage } from "../../support/official.ts";
import { openProviderServer } from "../../support/provider-server.ts";
import type { Dialect, ProviderServer, Reply } from "../../support/provider-server.ts";

const apiKey = "none";

/** A model of an official provider of the SDK, which talks to a server on this machine. */
export interface TestModel {
  readonly name: string;
  readonly dialect: Dialect;
  /** The model at an address, asked by a `fetch` of its own if one is given. */
  readonly create: (baseURL: string, fetch?: typeof globalThis.fetch) => LanguageModelV4;
}

/** Every way in which the official providers ask for an answer. */
export const MODELS: readonly TestModel[] = [
  {
    name: "openai chat",
    dialect: "openai-chat",
    create: (baseURL, fetch) => createOpenAI({ apiKey, baseURL, ...(fetch && { fetch }) }).chat("some-model"),
  },
  {
    name: "openai responses",
    dialect: "openai-responses",
    create: (baseURL, fetch) => createOpenAI({ apiKey, baseURL, ...(fetch && { fetch }) }).responses("some-model"),
  },
  {
    name: "anthropic",
    dialect: "anthropic-messages",
    create: (baseURL, fetch) => createAnthropic({ apiKey, baseURL, ...(fetch && { fetch }) })("some-model"),
  },
  {
    name: "google",
    dialect: "gemini",
    create: (baseURL, fetch) => createGoogle({ apiKey, baseURL, ...(fetch && { fetch }) })("some-model"),
  },
];

/** The model of a provider, by the name of its dialect. */
export function modelOf(dialect: Dialect): TestModel {
  return MODELS.find((model) => model.dialect === dialect)!;
}

export const counts = usage({ inputTokens: 9, outputTokens: 4 });
export const done = finish("natural_completion");
export const opening = start;

/** A promise that is never kept: the server waits until its reader has gone. */
export const forever = (): Promise<void> => new Promise(() => undefined);

/** Opens a server for one test. */
export async function serve(
  dialect: Dialect,
  reply: Reply | ((request: GenerationRequest) => Reply),
): Promise<ProviderServer> {
  const server = await openProviderServer(dialect, typeof reply === "function" ? reply : () => reply);
  onTestFinished(() => server.close());
  return server;
}

/** A model under rules, and what the middleware has told. */
interface Guarded {
  readonly model: LanguageModelV4;
  readonly middleware: StopMiddleware;
  readonly calls: readonly FinishedModelCall[];
}

export function guard(model: LanguageModelV4, options: StopMiddlewareOptions = {}): Guarded {
  const calls: FinishedModelCall[] = [];
  const middleware = createStopMiddleware({ ...options, onFinish: (call) => void calls.push(call) });
  return { model: wrapLanguageModel({ model, middleware }), middleware, calls };
}

/** What the SDK makes of an answer. */
export interface Outcome {
  readonly text: string;
  readonly reasoning: string | undefined;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly finishReason: string;
  readonly rawFinishReason: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly rawUsage: unknown;
  readonly providerMetadata: Readonly<Record<string, unknown>> | undefined;
  /** What came as an error within the stream. */
  readonly errors: readonly unknown[];
}

/** The settings of a call that tests use. */
export interface Settings {
  readonly prompt?: string;
  readonly stopSequences?: string[];
  readonly maxOutputTokens?: number;
  readonly abortSignal?: AbortSignal;
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** The two functions by which the SDK asks for text, each told in the same way what came of it. */
export const ASKS = [
  {
    by: "streamText",
    ask: async (model: LanguageModelV4, settings: Settings = {}): Promise<Outcome> => {
      const errors: unknown[] = [];
      const result = streamText({
        prompt: "Hi",
        ...settings,
        model,
        maxRetries: 0,
        onError: ({ error }) => void errors.push(error),
      });
      await result.consumeStream();
      const [step] = await result.steps;
      return toOutcome(step!, errors);
    },
  },
  {
    by: "generateText",
    ask: async (model: LanguageModelV4, settings: Settings = {}): Promise<Outcome> => {
      const { steps } = await generateText({ prompt: "Hi", ...settings, model, maxRetries: 0 });
      return toOutcome(steps[0]!, []);
    },
  },
] as const;

type Step = Awaited<ReturnType<typeof generateText>>["steps"][number];

function toOutcome(step: Step, errors: readonly unknown[]): Outcome {
  return {
    text: step.text,
    reasoning: step.reasoningText,
    calls: step.toolCalls.map(({ toolName, input }) => ({ name: toolName, input: input as unknown })),
    finishReason: step.finishReason,
    rawFinishReason: step.rawFinishReason,
    inputTokens: step.usage.inputTokens,
    outputTokens: step.usage.outputTokens,
    rawUsage: step.usage.raw,
    providerMetadata: step.providerMetadata,
    errors,
  };
}

/** Every model with every way to ask. */
export const ALL = MODELS.flatMap((model) => ASKS.map((ask) => ({ ...model, ...ask })));
