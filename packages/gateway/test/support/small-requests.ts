import type { Dialect } from "./dialects.ts";

/** Where a model is asked in each dialect. */
export function pathOf(dialect: Dialect, model: string): string {
  const paths: Readonly<Record<Dialect, string>> = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    gemini: `/v1beta/models/${model}:generateContent`,
  };
  return paths[dialect];
}

/** The smallest request for a model in each dialect. */
export function bodyOf(dialect: Dialect, model: string): object {
  const bodies: Readonly<Record<Dialect, object>> = {
    "openai-chat": { model, messages: [{ role: "user", content: "Hi" }] },
    "openai-responses": { model, input: "Hi" },
    "anthropic-messages": { model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
    gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
  };
  return bodies[dialect];
}
