import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { Output, generateText, jsonSchema } from "ai";
import { expect, it } from "vitest";
import { readFinishReason, toFinishReason } from "../../../src/adapters/ai-sdk/finish-reason.ts";
import type { UnifiedReason } from "../../../src/adapters/ai-sdk/finish-reason.ts";
import { readError } from "../../../src/adapters/ai-sdk/read-error.ts";
import { guard } from "../support/models.ts";
import { createPartsModel } from "../support/parts-model.ts";

const unknown = { providerMetadata: undefined, hadStopStrings: false };

it.each<[unified: UnifiedReason, raw: string | undefined, reason: string, told: UnifiedReason]>([
  ["stop", "stop", "natural_completion", "stop"],
  ["stop", "end_turn", "natural_completion", "stop"],
  ["stop", undefined, "natural_completion", "stop"],
  ["stop", "a word of tomorrow", "natural_completion", "stop"],
  ["stop", "stop_sequence", "stop_sequence", "stop"],
  ["stop", "pause_turn", "paused", "other"],
  // Anthropic's provider asks for JSON by a tool, which is then no call.
  ["stop", "tool_use", "natural_completion", "stop"],
  ["tool-calls", "STOP", "tool_calls", "tool-calls"],
  ["length", "max_tokens", "token_limit_reached", "length"],
  ["length", "model_context_window_exceeded", "context_window_exceeded", "length"],
  ["length", undefined, "token_limit_reached", "length"],
  ["content-filter", "refusal", "content_filtered", "content-filter"],
  // OpenAI's provider turns a refusal that ends with `stop` into this.
  ["content-filter", "stop", "content_filtered", "content-filter"],
  ["error", "MALFORMED_FUNCTION_CALL", "error_termination", "error"],
  ["error", undefined, "error_termination", "error"],
  ["interrupted", undefined, "error_termination", "interrupted"],
  ["other", "compaction", "paused", "other"],
  ["other", "a word of tomorrow", "unknown", "other"],
  ["other", undefined, "unknown", "other"],
])("reads %s with %s as %s, and tells %s", (unified, raw, reason, told) => {
  const signal = readFinishReason({ unified, raw }, unknown);
  expect(signal.reason).toBe(reason);
  expect(toFinishReason(signal, { unified, raw })).toEqual({ unified: told, raw });
});

it("says that a stop may be a stop string where the provider was given some, and which it was if it tells", () => {
  const known = { providerMetadata: { anthropic: { stopSequence: "END" } }, hadStopStrings: true };
  expect(readFinishReason({ unified: "stop", raw: "stop" }, known).detail).toBe("possible_stop_sequence");
  expect(readFinishReason({ unified: "stop", raw: "stop_sequence" }, known).stopSequence).toBe("END");
  expect(readFinishReason({ unified: "stop", raw: "end_turn" }, known).stopSequence).toBeUndefined();
});

it.each([
  [Object.assign(new Error("Slow down"), { statusCode: 429 }), "rate_limited"],
  [Object.assign(new Error("Broke off"), { statusCode: 200 }), "network_error"],
  [{ type: "overloaded_error", message: "Overloaded" }, "overloaded"],
  [Object.assign(new Error("No JSON"), { name: "AI_JSONParseError" }), "malformed_event"],
  [new TypeError("terminated"), "network_error"],
  ["what", "network_error"],
])("reads the error %o as %s", (error, detail) => {
  expect(readError(error)).toMatchObject({ reason: "error_termination", detail });
});

it("reads the last word of an answer as JSON, and not its drafts", async () => {
  const block = (id: string, phase: string, delta: string): LanguageModelV4StreamPart[] => [
    { type: "text-start", id, providerMetadata: { openai: { phase } } },
    { type: "text-delta", id, delta },
    { type: "text-end", id, providerMetadata: { openai: { phase } } },
  ];
  const answer = createPartsModel([
    ...block("1", "commentary", "Let me see."),
    ...block("2", "final_answer", '{"city":"Oslo"}'),
    {
      type: "finish",
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
    },
  ]);
  const { model } = guard(answer);
  const output = Output.object({ schema: jsonSchema<{ city: string }>({ type: "object" }) });
  expect((await generateText({ model, prompt: "Where?", output })).output).toEqual({ city: "Oslo" });
});
