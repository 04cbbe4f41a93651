import type { GenerationEvent, TerminationSignal } from "fullstop";
import type { GenerationRecord, StopOrder } from "fullstop/control";

/*
 * What the store has written as JSON, as it is read again. Lists are read in one piece, which is faster than reading
 * many small values.
 */

/** A generation that has ended, as it is listed: its id, when in microseconds, and its size. */
export type EndedEntry = readonly [id: string, endedAt: number, bytes: number];

export const parseRecord: (json: string) => GenerationRecord = JSON.parse;

export const parseSignal: (json: string) => TerminationSignal = JSON.parse;

export const parseText: (json: string) => string = JSON.parse;

export function parseRecords(values: readonly string[]): GenerationRecord[] {
  const parse: (json: string) => GenerationRecord[] = JSON.parse;
  return parse(toList(values));
}

/** The events of several appends. */
export function parseBatches(values: readonly string[]): GenerationEvent[][] {
  const parse: (json: string) => GenerationEvent[][] = JSON.parse;
  return parse(toList(values));
}

export function parseOrders(values: readonly string[]): StopOrder[] {
  const parse: (json: string) => StopOrder[] = JSON.parse;
  return parse(toList(values));
}

export function parseEnded(values: readonly string[]): EndedEntry[] {
  const parse: (json: string) => EndedEntry[] = JSON.parse;
  return parse(toList(values));
}

function toList(values: readonly string[]): string {
  return `[${values.join(",")}]`;
}
