import { isTerminationSignal } from "fullstop";
import type { GenerationEvent, TerminationSignal } from "fullstop";
import type { GenerationRecord } from "fullstop/control";
import { areEvents, isGenerationRecord, parseStored, refuseStored } from "./stored-values.ts";

/** The events of a generation and how many came before them, as a row of the journal has them. */
export type JournalEntry = readonly [key: number, offset: number, events: readonly GenerationEvent[]];

/** A number in a row. */
export function countAt(row: unknown, column: number): number {
  const value: unknown = Array.isArray(row) ? row[column] : undefined;
  return typeof value === "number" ? value : refuseStored(value);
}

/** A text in a row. */
export function textAt(row: unknown, column: number): string {
  const value: unknown = Array.isArray(row) ? row[column] : undefined;
  return typeof value === "string" ? value : refuseStored(value);
}

/** A string in a row that is there as JSON. */
export function stringAt(row: unknown, column: number): string {
  const value = parseStored(textAt(row, column));
  return typeof value === "string" ? value : refuseStored(value);
}

/** Rows that are in a row, as JSON. */
export function rowsAt(row: unknown, column: number): readonly unknown[] {
  const value = parseStored(textAt(row, column));
  return Array.isArray(value) ? value : refuseStored(value);
}

/** The events in a row. */
export function eventsAt(row: unknown, column: number): readonly GenerationEvent[] {
  const value = parseStored(textAt(row, column));
  return areEvents(value) ? value : refuseStored(value);
}

/** The record of a generation in a row. */
export function recordAt(row: unknown, column: number): GenerationRecord {
  const value = parseStored(textAt(row, column));
  return isGenerationRecord(value) ? value : refuseStored(value);
}

/** How a generation ended, in a row; undefined where it runs. */
export function signalAt(row: unknown, column: number): TerminationSignal | undefined {
  const text: unknown = Array.isArray(row) ? row[column] : undefined;
  if (text === null) return undefined;
  const value = parseStored(textAt(row, column));
  return isTerminationSignal(value) ? value : refuseStored(value);
}

/** The entries in a row of the journal. */
export function entriesAt(row: unknown, column: number): readonly JournalEntry[] {
  const value = parseStored(textAt(row, column));
  return areEntries(value) ? value : refuseStored(value);
}

function areEntries(value: unknown): value is readonly JournalEntry[] {
  return Array.isArray(value) && value.every(isEntry);
}

function isEntry(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === "number" && typeof value[1] === "number" && areEvents(value[2]);
}
