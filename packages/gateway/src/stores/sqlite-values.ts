import { isTerminationSignal } from "fullstop";
import type { GenerationEvent, TerminationSignal } from "fullstop";
import type { GenerationRecord } from "fullstop/control";

/** The events of a generation and how many came before them, as a row of the journal has them. */
export type JournalEntry = readonly [key: number, offset: number, events: readonly GenerationEvent[]];

/** A number in a row. */
export function countAt(row: unknown, column: number): number {
  const value: unknown = Array.isArray(row) ? row[column] : undefined;
  return typeof value === "number" ? value : refuse(value);
}

/** A text in a row. */
export function textAt(row: unknown, column: number): string {
  const value: unknown = Array.isArray(row) ? row[column] : undefined;
  return typeof value === "string" ? value : refuse(value);
}

/** A string in a row that is there as JSON. */
export function stringAt(row: unknown, column: number): string {
  const value: unknown = JSON.parse(textAt(row, column));
  return typeof value === "string" ? value : refuse(value);
}

/** Rows that are in a row, as JSON. */
export function rowsAt(row: unknown, column: number): readonly unknown[] {
  const value: unknown = JSON.parse(textAt(row, column));
  return Array.isArray(value) ? value : refuse(value);
}

/** The events in a row. */
export function eventsAt(row: unknown, column: number): readonly GenerationEvent[] {
  const value: unknown = JSON.parse(textAt(row, column));
  return areEvents(value) ? value : refuse(value);
}

/** The record of a generation in a row. */
export function recordAt(row: unknown, column: number): GenerationRecord {
  const value: unknown = JSON.parse(textAt(row, column));
  return isRecord(value) ? value : refuse(value);
}

/** How a generation ended, in a row; undefined where it runs. */
export function signalAt(row: unknown, column: number): TerminationSignal | undefined {
  const text: unknown = Array.isArray(row) ? row[column] : undefined;
  if (text === null) return undefined;
  const value: unknown = JSON.parse(textAt(row, column));
  return isTerminationSignal(value) ? value : refuse(value);
}

/** The entries in a row of the journal. */
export function entriesAt(row: unknown, column: number): readonly JournalEntry[] {
  const value: unknown = JSON.parse(textAt(row, column));
  return areEntries(value) ? value : refuse(value);
}

// Only this store writes to the file, so these tell damage from what it has written, and look no deeper.

function areEvents(value: unknown): value is readonly GenerationEvent[] {
  return Array.isArray(value);
}

function areEntries(value: unknown): value is readonly JournalEntry[] {
  return Array.isArray(value) && value.every((entry) => Array.isArray(entry) && areEvents(entry[2]));
}

function isRecord(value: unknown): value is GenerationRecord {
  return typeof value === "object" && value !== null && "id" in value && "holder" in value;
}

/** The value is not quoted: it may be what somebody has asked, and errors are logged. */
function refuse(value: unknown): never {
  throw new Error(`the store's file is damaged: it has a ${typeof value} where something else was written`);
}
