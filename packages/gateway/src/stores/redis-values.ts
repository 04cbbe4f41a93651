import { isTerminationSignal } from "fullstop";
import type { GenerationEvent, TerminationSignal } from "fullstop";
import type { GenerationRecord, StopOrder } from "fullstop/control";
import { StoreDamage, areEvents, isGenerationRecord, isStopOrder, parseStored, refuseStored } from "./stored-values.ts";

/*
 * What the store has written as JSON, as it is read again. Lists are read in one piece, which is faster than reading
 * many small values.
 */

/** Told of what is left out of a list because it is damaged. */
export type OnDamage = (damage: StoreDamage) => void;

/** A generation that has ended, as it is listed: its id, when in microseconds, and its size. */
export type EndedEntry = readonly [id: string, endedAt: number, bytes: number];

export function parseRecord(json: string): GenerationRecord {
  const value = parseStored(json);
  return isGenerationRecord(value) ? value : refuseStored(value);
}

export function parseSignal(json: string): TerminationSignal {
  const value = parseStored(json);
  return isTerminationSignal(value) ? value : refuseStored(value);
}

export function parseText(json: string): string {
  const value = parseStored(json);
  return typeof value === "string" ? value : refuseStored(value);
}

/** A number that stands there as text. */
export function parseCount(text: string | null | undefined): number {
  return typeof text === "string" && /^\d{1,15}$/u.test(text) ? Number(text) : refuseStored(text);
}

export function parseRecords(values: readonly string[], onDamage: OnDamage): GenerationRecord[] {
  return parseSound(values, isGenerationRecord, onDamage);
}

/** The events of several appends. */
export function parseBatches(values: readonly string[]): (readonly GenerationEvent[])[] {
  return parseList(values, areEvents);
}

export function parseOrders(values: readonly string[], onDamage: OnDamage): StopOrder[] {
  return parseSound(values, isStopOrder, onDamage);
}

export function parseEnded(values: readonly string[], onDamage: OnDamage): EndedEntry[] {
  return parseSound(values, isEndedEntry, onDamage);
}

function isEndedEntry(value: unknown): value is EndedEntry {
  if (!Array.isArray(value) || value.length !== 3) return false;
  return typeof value[0] === "string" && typeof value[1] === "number" && typeof value[2] === "number";
}

/** Things that have nothing to do with each other: one that is damaged must not hide the others from everybody. */
function parseSound<T>(values: readonly string[], isOne: (value: unknown) => value is T, onDamage: OnDamage): T[] {
  try {
    return parseList(values, isOne);
  } catch (error) {
    if (!(error instanceof StoreDamage)) throw error;
    onDamage(error);
    // Whoever was left with one value has nothing to look for.
    return values.length === 1 ? [] : values.flatMap((value) => parseSound([value], isOne, () => undefined));
  }
}

/** Things of which none may be missing. */
function parseList<T>(values: readonly string[], isOne: (value: unknown) => value is T): T[] {
  const list = parseStored(`[${values.join(",")}]`);
  // A text that is no JSON by itself could be some between others.
  return Array.isArray(list) && list.length === values.length && list.every(isOne) ? list : refuseStored(list);
}
