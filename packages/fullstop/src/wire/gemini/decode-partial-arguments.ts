import type { JsonRecord } from "../json.ts";
import { stringOf } from "../json.ts";

type Container = Record<string, unknown> | unknown[];

/** A step of a path: `.name`, `["name"]` or `[3]`. */
const STEPS =
  /\.(?<name>[^.[\]]+)|\["(?<double>(?:\\.|[^"\\])*)"\]|\['(?<single>(?:\\.|[^'\\])*)'\]|\[(?<index>\d+)\]/gsu;

/** What is written with a backslash in a quoted name, and what else than the character behind it that stands for. */
const ESCAPES = /\\(?:u(?<code>[\da-f]{4})|(?<letter>.))/gisu;
const CONTROLS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * How many steps a path may have, which JSON can be written for, and how many places of lists the paths of one call may
 * skip, all together; more is no call of an honest server.
 */
const MOST_STEPS = 500;
const MOST_PLACES = 100_000;

/**
 * The arguments of a call that come value by value, each with its place: `$.city` is `Par`, then `is`. Pieces of text
 * for the same place are one text.
 */
export class PartialArguments {
  // Without a prototype, so that no name that a server sends means anything but itself.
  readonly #root: Container = createObject();
  #skipped = 0;

  add(piece: JsonRecord): void {
    const steps = [...stringOf(piece["jsonPath"]).matchAll(STEPS)].map(({ groups = {} }) => {
      const { index, name, double, single } = groups;
      return index === undefined ? (name ?? unquote(double ?? single ?? "")) : Number(index);
    });
    if (steps.length > MOST_STEPS) return;
    let place = this.#root;
    for (const [at, step] of steps.entries()) {
      if (typeof step === "number" && !this.#mayReach(place, step)) return;
      const next = steps[at + 1];
      if (next === undefined) write(place, step, piece);
      else place = enter(place, step, typeof next === "number");
    }
  }

  /** Whether a place of a list can be had. Each that is skipped is written as `null`, however short the path was. */
  #mayReach(place: Container, step: number): boolean {
    if (!Array.isArray(place)) return step <= MOST_PLACES;
    this.#skipped += Math.max(0, step - place.length);
    return this.#skipped <= MOST_PLACES;
  }

  /** What has come so far. */
  value(): unknown {
    return this.#root;
  }
}

function unquote(name: string): string {
  return name.replaceAll(ESCAPES, (_escape, code: string | undefined, letter: string) =>
    code === undefined ? (CONTROLS[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function createObject(): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  Object.setPrototypeOf(object, null);
  return object;
}

function enter(place: Container, step: string | number, isList: boolean): Container {
  const known = read(place, step);
  if (isContainer(known)) return known;
  const created = isList ? [] : createObject();
  assign(place, step, created);
  return created;
}

function write(place: Container, step: string | number, piece: JsonRecord): void {
  const { stringValue, numberValue, boolValue } = piece;
  if (typeof stringValue === "string") {
    const known = read(place, step);
    assign(place, step, typeof known === "string" ? known + stringValue : stringValue);
  } else if (typeof numberValue === "number") assign(place, step, numberValue);
  else if (typeof boolValue === "boolean") assign(place, step, boolValue);
  else if ("nullValue" in piece) assign(place, step, null);
}

function read(place: Container, step: string | number): unknown {
  return Array.isArray(place) ? place[Number(step)] : place[step];
}

function assign(place: Container, step: string | number, value: unknown): void {
  if (Array.isArray(place)) place[Number(step)] = value;
  else place[step] = value;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}
