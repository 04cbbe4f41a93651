import type { GenerationRecord } from "../../control/store.ts";
import type { GenerationEvent, TextEvent } from "../../events.ts";
import { createTerminationSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";

/** The record of a generation for a test. */
export function recordOf(id: string, parts: Partial<GenerationRecord> = {}): GenerationRecord {
  return { id, owner: "alice", model: "pip", startedAt: 1_700_000_000_000, holder: "one", ...parts };
}

/** So many pieces of text, each of which says where it stands. */
export function pieces(count: number, first = 0): readonly TextEvent[] {
  return Array.from({ length: count }, (_, index) => ({ type: "text", text: `${first + index} ` }));
}

/** An ending that can be told from others. */
export function endingOf(detail: string): TerminationSignal {
  return createTerminationSignal({
    reason: "cancelled",
    detail,
    originalField: "cancel",
    originalValue: detail,
    message: "Generation stopped",
    metadata: { number: 1, list: ["a", null], nested: { yes: true } },
  });
}

/** One event of every kind, with whatever may stand in it. */
export const EVERY_KIND: readonly GenerationEvent[] = [
  { type: "start", id: "g", model: "pip" },
  { type: "reasoning", text: "hm\n\0\t\"'", tokenIds: [1, 2] },
  { type: "reasoning", text: "", signature: "c2lnbmF0dXJl", signedBy: "anthropic-messages", redacted: true },
  { type: "text", text: "Grüße 👩‍👩‍👧 \u2028 " },
  { type: "text", text: "half a pair: \ud83d" },
  { type: "tool-call-start", callId: "c1", name: "look_up" },
  { type: "tool-call-delta", callId: "c1", json: '{"a":"\\u00e9' },
  { type: "tool-call-delta", callId: "c1", json: '"}' },
  { type: "tool-call-end", callId: "c1" },
  { type: "opaque", format: "gemini", value: { deep: [{ er: null }] } },
  { type: "citation", start: 0, end: 5, url: "https://example.org", quote: "Grüße", format: "gemini", value: [null] },
  { type: "usage", usage: { inputTokens: 3, outputTokens: 7, cachedInputTokens: 1 } },
];
