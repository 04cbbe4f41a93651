import type { MessageEntity } from "grammy/types";
import { FullstopError } from "fullstop";
import { isBlank } from "./clean-text.ts";
import { findCut } from "./cut.ts";
import { endOf, isTrimmed, sliceFormatted, trimFormatted } from "./entities.ts";
import { MESSAGE_ENTITY_LIMIT, MESSAGE_LIMIT, type FormattedText } from "./formatted-text.ts";

/** A few entities are left for what an answer has around its text. */
const ENTITY_LIMIT = MESSAGE_ENTITY_LIMIT - 4;

/** How much room there is. */
export interface SplitOptions {
  /** Code units that a piece may have: `MESSAGE_LIMIT` unless said otherwise. */
  readonly limit?: number | undefined;
  /** Code units that the first piece may have, if it shares its message with something else. */
  readonly first?: number | undefined;
}

/**
 * Splits a text into pieces that each fit into one message: between paragraphs if possible, else between lines,
 * sentences or words. Code blocks and quotes are closed and opened again; links and inline code are kept whole.
 * Only white space at the cuts is left out.
 *
 * Where a piece ends depends on nothing that comes after it. As a text grows, only the last piece changes, which
 * matters because every change of an earlier one is an edit of a message.
 */
export function splitFormatted(formatted: FormattedText, options: SplitOptions = {}): readonly FormattedText[] {
  const limit = checkRoom("limit", options.limit ?? MESSAGE_LIMIT);
  const first = checkRoom("first", options.first ?? limit);
  const { text, entities } = trimFormatted(formatted);
  const pieces: FormattedText[] = [];
  const reader = new EntityReader(entities);
  let start = 0;
  while (start < text.length) {
    const room = pieces.length === 0 ? first : limit;
    const near = reader.read(start, start + room);
    const end = Math.min(start + room, near[ENTITY_LIMIT]?.offset ?? text.length, text.length);
    const cut = end >= text.length ? text.length : findCut(text, near, { start, end, limit });
    const piece = trimFormatted(sliceFormatted({ text, entities: near }, start, cut));
    if (!isBlank(piece.text)) pieces.push(piece);
    const next = skipWhiteSpace(text, cut);
    start = isInCode(reader.read(cut, next), next) ? Math.max(cut, text.lastIndexOf("\n", next - 1) + 1) : next;
  }
  return pieces;
}

/** Reads sorted entities from front to back, so that a long text is not searched anew for each of its pieces. */
class EntityReader {
  readonly #entities: readonly MessageEntity[];
  #near: readonly MessageEntity[] = [];
  #next = 0;

  constructor(entities: readonly MessageEntity[]) {
    this.#entities = entities;
  }

  /** Those that are not over at `start` and have begun at `end`, and perhaps some that begin later. */
  read(start: number, end: number): readonly MessageEntity[] {
    const near = this.#near.filter((entity) => endOf(entity) > start);
    for (
      let entity = this.#entities[this.#next];
      entity !== undefined && entity.offset <= end;
      entity = this.#entities[this.#next]
    ) {
      near.push(entity);
      this.#next += 1;
    }
    this.#near = near;
    return near;
  }
}

function skipWhiteSpace(text: string, cut: number): number {
  let start = cut;
  while (start < text.length && isTrimmed(text, start)) start += 1;
  return start;
}

/** Code goes on with a whole line, indentation and all; anything else with a word. */
function isInCode(entities: readonly MessageEntity[], start: number): boolean {
  return entities.some((entity) => entity.type === "pre" && entity.offset < start && start < endOf(entity));
}

function checkRoom(name: string, room: number): number {
  // A character can be two code units long.
  if (Number.isSafeInteger(room) && room >= 2) return room;
  throw new FullstopError("invalid_argument", `${name} must be a whole number of at least 2, got ${String(room)}`);
}
