import type { GenerationEvent } from "fullstop";
import { STOP_MODES } from "fullstop/control";
import type { GenerationRecord, StopOrder } from "fullstop/control";

/*
 * What stores have written as JSON, as it is read again. Only they write it, so that it is looked at no deeper than it
 * takes for whoever reads on not to stumble over something else.
 */

/** What a store has is not what it has written. The message quotes none of it, because errors are logged. */
export class StoreDamage extends Error {
  override readonly name = "StoreDamage";

  /** `found` is what stands there instead. */
  constructor(found: string) {
    super(`what the store has is damaged: there is ${found} where something else was written`);
  }
}

/** The value of a JSON text that a store has written. */
export function parseStored(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // What the parser says quotes the text, which may be what somebody has asked.
    throw new StoreDamage("a text that is no JSON");
  }
}

/** Says that a value is not what was written, without what it is. */
export function refuseStored(value: unknown): never {
  throw new StoreDamage(`a value of the type ${typeof value}`);
}

/** The latest time that a date can have, and minus that the earliest. */
const LATEST = 8.64e15;

/** Whether a value can be the record of a generation. */
export function isGenerationRecord(value: unknown): value is GenerationRecord {
  if (!isObject(value)) return false;
  const { id, owner, model, holder, startedAt, labels = {} } = value;
  return (
    [id, owner, model, holder].every((text) => typeof text === "string") &&
    typeof startedAt === "number" &&
    Math.abs(startedAt) <= LATEST &&
    isObject(labels) &&
    Object.values(labels).every((label) => typeof label === "string")
  );
}

/** The fields of events that others write and join as texts. */
const TEXTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text"]],
  ["reasoning", ["text"]],
  ["tool-call-start", ["callId", "name"]],
  ["tool-call-delta", ["callId", "json"]],
  ["tool-call-end", ["callId"]],
]);

/** Whether a value can be a list of events. */
export function areEvents(value: unknown): value is readonly GenerationEvent[] {
  return Array.isArray(value) && value.every(isEvent);
}

function isEvent(value: unknown): boolean {
  if (!isObject(value) || typeof value["type"] !== "string") return false;
  for (const name of TEXTS.get(value["type"]) ?? []) if (typeof value[name] !== "string") return false;
  return true;
}

/** Whether a value can be an order. */
export function isStopOrder(value: unknown): value is StopOrder {
  return isObject(value) && STOP_MODES.some((mode) => mode === value["mode"]) && typeof value["reason"] === "string";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
