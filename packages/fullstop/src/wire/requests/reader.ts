import { FullstopError, invalidArgument } from "../../errors.ts";
import type { WireWarning } from "../format.ts";
import { INHERITED_NAMES, isRecord, listOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { isAbsent, isDeeper, isNothing, isSame, toCamelCase, toSnakeCase } from "./plain-values.ts";
import { createRequestWarnings } from "./warnings.ts";
import type { RequestWarnings } from "./warnings.ts";

/** A body that is being read. */
export interface RequestReader {
  readonly body: BodyObject;
  /** All warnings, those about fields that nobody has read included. */
  finish(): readonly WireWarning[];
}

/** How a body is spelt. */
export interface RequestReaderOptions {
  /** Whether `snake_case` is as good as `camelCase`, as it is wherever a body is a protocol buffer. Default false. */
  readonly snakeCase?: boolean | undefined;
}

/** Schemas and the arguments of calls that people have use for have a tenth of these. */
const MOST_LEVELS = 500;

const never = (): boolean => false;

const LEFT_OUT = "There is no counterpart for this; it was left out.";

/** What all the values of one body share. */
interface Reading {
  readonly warnings: RequestWarnings;
  /** Every object that was opened. */
  readonly objects: BodyObject[];
  readonly snakeCase: boolean;
}

/** Opens the body of a request for reading. Anything but an object is refused. */
export function createRequestReader(body: unknown, options: RequestReaderOptions = {}): RequestReader {
  const { snakeCase = false } = options;
  if (!isRecord(body)) throw invalidArgument("body", "must be an object", body);
  // Whoever writes or walks through what is passed on as it stands would run out of stack.
  if (isDeeper(body, MOST_LEVELS)) {
    throw new FullstopError("invalid_argument", `The body must have at most ${MOST_LEVELS} levels, and has more`);
  }
  const reading: Reading = { warnings: createRequestWarnings(), objects: [], snakeCase };
  return {
    body: new BodyObject(reading, undefined, "", body),
    finish() {
      for (const object of reading.objects) object.warnOfUnread();
      return reading.warnings.all();
    },
  };
}

/**
 * A value in the body of a request, which knows where it stands. Each method refuses what is not of its type. There is
 * one for each value of a conversation, which is why it is a class: closures took three times as long.
 */
export class BodyValue {
  /** Where it stands, such as `messages[2].content[0]`. */
  readonly path: string;
  readonly raw: unknown;
  readonly #reading: Reading;
  readonly #holder: BodyObject;
  /** Under which name it stands in its holder; undefined for an item of a list. */
  readonly #key: string | undefined;

  constructor(reading: Reading, holder: BodyObject, path: string, raw: unknown, key?: string) {
    this.path = path;
    this.raw = raw;
    this.#reading = reading;
    this.#holder = holder;
    this.#key = key;
  }

  string(): string {
    if (typeof this.raw !== "string") throw this.refuse("must be a string");
    return this.raw;
  }

  /** A string that is not empty. */
  name(): string {
    if (typeof this.raw !== "string" || this.raw === "") throw this.refuse("must be a string that is not empty");
    return this.raw;
  }

  /** One of the given words. */
  word<const Word extends string>(words: readonly Word[]): Word {
    const found = words.find((word) => word === this.raw);
    if (found === undefined) throw this.refuse(`must be one of ${words.join(", ")}`);
    return found;
  }

  number(): number {
    if (typeof this.raw !== "number" || !Number.isFinite(this.raw)) throw this.refuse("must be a number");
    return this.raw;
  }

  /** A number of at least 0. */
  amount(): number {
    if (this.number() < 0) throw this.refuse("must be a number of at least 0");
    return this.number();
  }

  /** A number from 0 to 1. */
  share(): number {
    if (this.number() < 0 || this.number() > 1) throw this.refuse("must be a number from 0 to 1");
    return this.number();
  }

  /** A whole number of at least 0. */
  count(): number {
    if (typeof this.raw === "number" && Number.isSafeInteger(this.raw) && this.raw >= 0) return this.raw;
    throw this.refuse("must be a whole number of at least 0");
  }

  flag(): boolean {
    if (typeof this.raw !== "boolean") throw this.refuse("must be true or false");
    return this.raw;
  }

  list(): readonly BodyValue[] {
    if (!Array.isArray(this.raw)) throw this.refuse("must be a list");
    const open = (item: unknown, index: number): BodyValue =>
      new BodyValue(this.#reading, this.#holder, `${this.path}[${index}]`, item);
    return Array.from(listOf(this.raw), open);
  }

  /** An object whose fields are read one by one; those that are not read become warnings. */
  object(): BodyObject {
    const object = new BodyObject(this.#reading, this.#holder, this.path, this.json());
    if (this.#key !== undefined) this.#holder.adopt(this.#key, object);
    return object;
  }

  /**
   * An object of one of several kinds. What nobody reads of it is part of its kind, which may be written otherwise or
   * not at all: it becomes a warning, and is never taken along by itself.
   */
  kind(): BodyObject {
    return new BodyObject(this.#reading, this.#holder, this.path, this.json());
  }

  /** An object that is passed through as it stands. */
  json(): JsonRecord {
    if (!isRecord(this.raw)) throw this.refuse("must be an object");
    return this.raw;
  }

  /** The error that refuses this value by a rule. */
  refuse(rule: string): FullstopError {
    return invalidArgument(this.path, rule, this.raw);
  }

  /** Warns that this value is not taken over. */
  leaveOut(message: string = LEFT_OUT): void {
    this.#reading.warnings.add(this.path, message);
  }
}

/** An object in the body of a request. It remembers which of its fields were read. */
export class BodyObject {
  readonly path: string;
  readonly #reading: Reading;
  readonly #holder: BodyObject | undefined;
  readonly #record: JsonRecord;
  readonly #read: string[] = [];
  /** The objects that are its fields, as far as they were opened. */
  #inner: Map<string, BodyObject> | undefined;
  /** Whether its fields were read all at once. */
  #isRead = false;
  #leftOut = false;

  constructor(reading: Reading, holder: BodyObject | undefined, path: string, record: JsonRecord) {
    this.path = path;
    this.#reading = reading;
    this.#holder = holder;
    this.#record = record;
    reading.objects.push(this);
  }

  /** A field that has to be there: where it is not, any reading of it is refused. */
  value(name: string): BodyValue {
    return this.field(name) ?? this.#open(name);
  }

  /** A field that may be absent; null counts as absent. */
  field(name: string): BodyValue | undefined {
    const value = this.#field(name);
    if (value !== undefined || !this.#reading.snakeCase) return value;
    return this.#field(toSnakeCase(name));
  }

  /** Every field, for objects that are used as a map. */
  entries(): readonly (readonly [name: string, value: BodyValue])[] {
    this.#isRead = true;
    return Object.keys(this.#record).map((key) => [key, this.#open(key)]);
  }

  /** Passes over fields that change nothing in the answer. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.push(...this.#spellings(name));
  }

  /** Passes over fields that say what holds anyway. */
  ignoreDefaults(defaults: Readonly<Record<string, unknown>>): void {
    for (const [name, standard] of Object.entries(defaults)) {
      for (const key of this.#spellings(name)) if (isSame(this.#record[key], standard)) this.#read.push(key);
    }
  }

  /** Remembers an object that was opened as one of its fields. */
  adopt(key: string, object: BodyObject): void {
    this.#inner ??= new Map();
    this.#inner.set(key, object);
  }

  /**
   * Takes whatever nobody has read so far, as it stands, also out of the objects within it that were opened. Fields
   * whose path is refused stay, and are warned of.
   */
  takeUnread(isRefused: (path: string) => boolean = never): JsonRecord {
    if (this.#isRead || this.#leftOut) return {};
    const taken: [name: string, value: unknown][] = [];
    for (const key of Object.keys(this.#record)) {
      // In one spelling, or what is put back could stand beside the same field in the other one.
      const name = this.#reading.snakeCase ? toCamelCase(key) : key;
      // What is said in both spellings would get past whoever has read the first one.
      if (name !== key && !isAbsent(this.#record[name])) continue;
      const inner = this.#inner?.get(key)?.takeUnread(isRefused) ?? {};
      if (Object.keys(inner).length > 0) taken.push([name, inner]);
      if (this.#isUnread(key) && !INHERITED_NAMES.has(key) && !isRefused(this.#pathOf(key))) {
        taken.push([name, this.#record[key]]);
        this.#read.push(key);
      }
    }
    return Object.fromEntries(taken);
  }

  /** Warns once that this object is not taken over, instead of once for each field in it. */
  leaveOut(message: string = LEFT_OUT): void {
    this.#leftOut = true;
    this.#reading.warnings.add(this.path, message);
  }

  /** Whether this object or one around it was left out, or taken as it stands. */
  get isSettled(): boolean {
    return this.#leftOut || this.#isRead || this.#holder?.isSettled === true;
  }

  /** Whether something stands in it that nobody has read so far. */
  get hasUnread(): boolean {
    return Object.keys(this.#record).some((key) => this.#isUnread(key));
  }

  /** Warns of every field that nobody has read, unless clients write it out although nothing is in it. */
  warnOfUnread(): void {
    if (this.isSettled) return;
    for (const key of Object.keys(this.#record)) {
      if (this.#isUnread(key)) this.#open(key).leaveOut();
    }
  }

  #isUnread(key: string): boolean {
    return !this.#read.includes(key) && !isNothing(this.#record[key]);
  }

  #pathOf(key: string): string {
    return this.path === "" ? key : `${this.path}.${key}`;
  }

  #spellings(name: string): readonly string[] {
    return this.#reading.snakeCase ? [name, toSnakeCase(name)] : [name];
  }

  #field(key: string): BodyValue | undefined {
    this.#read.push(key);
    // Only what was sent counts, not what every object inherits.
    if (!Object.hasOwn(this.#record, key)) return undefined;
    const raw = this.#record[key];
    return isAbsent(raw) ? undefined : this.#open(key);
  }

  #open(key: string): BodyValue {
    return new BodyValue(this.#reading, this, this.#pathOf(key), this.#record[key], key);
  }
}
