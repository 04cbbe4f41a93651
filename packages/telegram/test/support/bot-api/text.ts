import type { MessageEntity } from "grammy/types";
import { detectEntities, isDetected } from "./detect.ts";
import { isRecord } from "./parameters.ts";
import { badRequest } from "./refusal.ts";

/** Text as the server keeps it: trimmed, its entities checked and in order. */
export interface AcceptedText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

const MESSAGE_LIMIT = 4096;
const STYLES = new Set(["bold", "italic", "underline", "strikethrough", "spoiler"]);
const QUOTES = new Set(["blockquote", "expandable_blockquote"]);
const CODE = new Set(["code", "pre"]);
/** What an entity of a type needs beside its place. */
const NEEDS: Readonly<Record<string, string>> = {
  text_link: "url",
  text_mention: "user",
  custom_emoji: "custom_emoji_id",
  date_time: "unix_time",
};
const KNOWN = new Set([...STYLES, ...QUOTES, ...CODE, ...Object.keys(NEEDS)]);
// Characters that take no room on a screen; a message of nothing else is as good as empty.
const NOTHING_TO_SEE = /^[\s\u00AD\u200B-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3164\uFEFF]*$/;

/** Takes the text of a message with its entities, or refuses it as Telegram does. */
export function acceptText(
  raw: string,
  rawEntities: readonly unknown[],
  tooLong = "message is too long",
): AcceptedText {
  const accepted = acceptEntities(raw, rawEntities);
  if (NOTHING_TO_SEE.test(accepted.text)) throw badRequest("message text is empty");
  if ([...accepted.text].length > MESSAGE_LIMIT) throw badRequest(tooLong);
  return accepted;
}

/** Takes the text of a draft, which may be empty. */
export function acceptDraftText(raw: string, rawEntities: readonly unknown[]): AcceptedText {
  const accepted = acceptEntities(raw, rawEntities);
  if ([...accepted.text].length > MESSAGE_LIMIT) throw badRequest("message is too long");
  return accepted;
}

function acceptEntities(raw: string, rawEntities: readonly unknown[]): AcceptedText {
  if (!raw.isWellFormed()) throw badRequest("strings must be encoded in UTF-8");
  const given = rawEntities.map((entity) => checkEntity(raw, entity)).filter((entity) => !isDetected(entity.type));
  checkNesting(given);
  const { text, entities } = trim(raw, given);
  const found = detectEntities(text).filter((entity) => !entities.some((other) => hides(other, entity)));
  return { text, entities: [...entities, ...found].sort(byPlace) };
}

function checkEntity(text: string, value: unknown): MessageEntity {
  if (!isRecord(value)) throw badRequest("can't parse MessageEntity: expected an object");
  const { type, offset, length } = value;
  if (typeof type !== "string" || !(KNOWN.has(type) || isDetected(type))) {
    throw badRequest(`unsupported message entity type ${JSON.stringify(type)}`);
  }
  if (!Number.isInteger(offset) || !Number.isInteger(length)) {
    throw badRequest(`can't parse MessageEntity: offset and length of ${type} must be integers`);
  }
  const start = offset as number;
  const end = start + (length as number);
  if (start < 0 || end <= start || end > text.length) throw badRequest("ENTITY_BOUNDS_INVALID");
  if (cutsPair(text, start)) {
    throw badRequest(`entity begins in a middle of a UTF-16 symbol at byte offset ${byteOffset(text, start)}`);
  }
  if (cutsPair(text, end)) {
    const place = `at byte offset ${byteOffset(text, end)}`;
    throw badRequest(`entity beginning at UTF-16 offset ${start} ends in a middle of a UTF-16 symbol ${place}`);
  }
  const need = NEEDS[type];
  if (need !== undefined && (value[need] ?? "") === "") {
    throw badRequest(`can't parse MessageEntity: ${type} needs "${need}"`);
  }
  return value as unknown as MessageEntity;
}

function cutsPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function byteOffset(text: string, at: number): number {
  return Buffer.byteLength(text.slice(0, at - 1)) + 4;
}

/** Telegram mends or drops what is wrongly nested and says nothing. Here it is refused, so that a test sees it. */
function checkNesting(entities: readonly MessageEntity[]): void {
  const sorted = [...entities].sort(byPlace);
  for (const [index, outer] of sorted.entries()) {
    for (const inner of sorted.slice(index + 1)) {
      if (inner.offset >= endOf(outer)) break;
      const pair = `${outer.type} at ${outer.offset} and ${inner.type} at ${inner.offset}`;
      if (endOf(inner) > endOf(outer)) throw badRequest(`entities overlap without nesting: ${pair}`);
      if (!mayHold(outer, inner)) throw badRequest(`entities can't be nested: ${pair}`);
    }
  }
}

function mayHold(outer: MessageEntity, inner: MessageEntity): boolean {
  if (CODE.has(outer.type)) return false;
  if (QUOTES.has(outer.type)) return !QUOTES.has(inner.type);
  if (STYLES.has(outer.type)) return !CODE.has(inner.type);
  return STYLES.has(inner.type);
}

/** White space at both ends goes; at the beginning only as far as the first entity. */
function trim(text: string, entities: readonly MessageEntity[]): AcceptedText {
  const firstEntity = Math.min(text.length, ...entities.map((entity) => entity.offset));
  const lead = text.length - text.trimStart().length;
  const start = Math.min(lead, firstEntity);
  const end = Math.max(start, text.trimEnd().length);
  return {
    text: text.slice(start, end),
    entities: entities
      .filter((entity) => entity.offset < end)
      .map((entity) => ({
        ...entity,
        offset: entity.offset - start,
        length: Math.min(endOf(entity), end) - entity.offset,
      })),
  };
}

function hides(entity: MessageEntity, found: MessageEntity): boolean {
  const apart = endOf(entity) <= found.offset || endOf(found) <= entity.offset;
  return !apart && !STYLES.has(entity.type) && !QUOTES.has(entity.type);
}

/** In the order of the text; of those that begin together, the longer first, and quotes around everything else. */
function byPlace(one: MessageEntity, other: MessageEntity): number {
  return one.offset - other.offset || other.length - one.length || rank(one) - rank(other) || compare(one, other);
}

function rank({ type }: MessageEntity): number {
  return QUOTES.has(type) ? 0 : STYLES.has(type) ? 2 : CODE.has(type) ? 3 : 1;
}

function compare(one: MessageEntity, other: MessageEntity): number {
  return one.type < other.type ? -1 : one.type > other.type ? 1 : 0;
}

function endOf(entity: MessageEntity): number {
  return entity.offset + entity.length;
}
