import { onTestFinished } from "vitest";
import type { GenerationEvent } from "fullstop";
import { openUpstream } from "../../../packages/gateway/test/support/upstream.ts";
import type { Reply, Upstream } from "../../../packages/gateway/test/support/upstream.ts";

/** A provider that speaks Chat Completions, until the end of the test. */
export async function openProvider(reply: Reply): Promise<Upstream> {
  const upstream = await openUpstream("openai-chat", () => reply);
  onTestFinished(() => upstream.close());
  return upstream;
}

/** An answer that has begun and then waits for ever, so that only a stop ends it. */
export function endless(...texts: readonly string[]): Reply {
  return [START, ...texts.map((text) => ({ type: "text" as const, text })), () => new Promise(() => undefined)];
}

/** An answer that ends by itself. */
export function whole(...texts: readonly string[]): Reply {
  const signal = {
    shouldTerminate: true,
    reason: "natural_completion",
    confidence: "high",
    providerSpecific: { originalField: "finish_reason", originalValue: "stop" },
  } as const;
  return [START, ...texts.map((text) => ({ type: "text" as const, text })), { type: "finish", signal }];
}

const START: GenerationEvent = { type: "start", id: "chatcmpl-1", model: "some-model" };
