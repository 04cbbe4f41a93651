import type { GenerationStore } from "../../control/store.ts";

/** A store under test, as often as it is opened, and its time. */
export interface StoreHarness {
  /** Opens the same data once more, as another process would where that is possible. */
  readonly open: () => Promise<GenerationStore>;
  /** Lets time pass by which the store counts leases. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

/** Something that every store has to do. It throws where the store does not. */
export interface StoreContractCase {
  readonly name: string;
  readonly run: (harness: StoreHarness) => Promise<void>;
}

/** Throws unless two values are the same as JSON, in whatever order their fields are. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [toJson(actual), toJson(expected)];
  if (found !== wanted) throw new Error(`${what}: expected ${shorten(wanted)}, got ${shorten(found)}`);
}

function toJson(value: unknown): string {
  if (value === undefined) return "nothing";
  return JSON.stringify(value, (_name, part: unknown) => (isPlain(part) ? sortFields(part) : part));
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sortFields(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function shorten(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`;
}
