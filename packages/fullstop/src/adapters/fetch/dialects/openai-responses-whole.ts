import { jsonTextOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { without } from "./editor.ts";

/** The events that add to a text, by those that repeat all of it, and where these have it. */
const WHOLE_TEXTS: ReadonlyMap<unknown, readonly [delta: string, field: string]> = new Map([
  ["response.output_text.done", ["response.output_text.delta", "text"]],
  ["response.refusal.done", ["response.refusal.delta", "refusal"]],
  ["response.reasoning_summary_text.done", ["response.reasoning_summary_text.delta", "text"]],
  ["response.reasoning_text.done", ["response.reasoning_text.delta", "text"]],
  ["response.reasoning.done", ["response.reasoning.delta", "text"]],
  ["response.function_call_arguments.done", ["response.function_call_arguments.delta", "arguments"]],
  ["response.custom_tool_call_input.done", ["response.custom_tool_call_input.delta", "input"]],
]);

/** The same by the types of parts. */
const WHOLE_PARTS: ReadonlyMap<unknown, readonly [delta: string, field: string]> = new Map([
  ["output_text", ["response.output_text.delta", "text"]],
  ["text", ["response.output_text.delta", "text"]],
  ["refusal", ["response.refusal.delta", "refusal"]],
  ["reasoning_text", ["response.reasoning_text.delta", "text"]],
  ["summary_text", ["response.reasoning_summary_text.delta", "text"]],
]);

const PART_EVENTS: ReadonlySet<unknown> = new Set([
  "response.content_part.done",
  "response.reasoning_summary_part.done",
]);

/** An event that repeats all of a text, as one that adds all of it; undefined for any other. */
export function toDelta(payload: JsonRecord): (JsonRecord & { readonly delta: string }) | undefined {
  const text = WHOLE_TEXTS.get(payload["type"]);
  if (text !== undefined) {
    const [type, field] = text;
    const delta = field === "arguments" ? jsonTextOf(payload[field]) : stringOf(payload[field]);
    return { ...without(payload, field), type, delta };
  }
  const part = recordOf(payload["part"]);
  const whole = PART_EVENTS.has(payload["type"]) ? WHOLE_PARTS.get(part["type"]) : undefined;
  if (whole === undefined) return undefined;
  const [type, field] = whole;
  return { ...without(payload, "part"), type, delta: stringOf(part[field]) };
}
