import type { MessageEntity } from "grammy/types";
import type { FormattedText } from "./formatted-text.ts";

/** Where an entity ends: the offset of the first code unit that is no longer in it. */
export function endOf(entity: MessageEntity): number {
  return entity.offset + entity.length;
}

/** Whether an entity makes a block of its own, which looks the same when it is closed and opened again. */
export function isBlock(entity: MessageEntity): boolean {
  return entity.type === "pre" || entity.type === "blockquote" || entity.type === "expandable_blockquote";
}

/** Whether half of an entity would be worth nothing: a link that leads nowhere, a command that is cut in two. */
export function isAtomic(entity: MessageEntity): boolean {
  return entity.type === "text_link" || entity.type === "code";
}

/** The order in which Telegram keeps entities: by place, the longer first, and quotes around what is in them. */
export function compareEntities(one: MessageEntity, other: MessageEntity): number {
  return one.offset - other.offset || other.length - one.length || Number(isQuote(other)) - Number(isQuote(one));
}

function isQuote(entity: MessageEntity): boolean {
  return isBlock(entity) && entity.type !== "pre";
}

/** The part of a text from one offset to another, with what is formatted in it. */
export function sliceFormatted({ text, entities }: FormattedText, start: number, end: number): FormattedText {
  const kept: MessageEntity[] = [];
  for (const entity of entities) {
    const from = Math.max(entity.offset, start);
    const to = Math.min(endOf(entity), end);
    if (to > from) kept.push({ ...entity, offset: from - start, length: to - from });
  }
  // What is properly nested keeps its order when it is cut.
  return { text: text.slice(start, end), entities: kept };
}

/**
 * A text without white space at its ends, as Telegram trims it: spaces and line feeds, and at the front only as far as
 * the first entity, so that the first line of a code block keeps its indentation.
 */
export function trimFormatted(formatted: FormattedText): FormattedText {
  const { text, entities } = formatted;
  let end = text.length;
  while (end > 0 && isTrimmed(text, end - 1)) end -= 1;
  const first = entities[0]?.offset ?? end;
  let start = 0;
  while (start < first && start < end && isTrimmed(text, start)) start += 1;
  return start === 0 && end === text.length ? formatted : sliceFormatted(formatted, start, end);
}

/** Whether there is white space at an offset of the kind that Telegram trims. */
export function isTrimmed(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  return unit === 0x20 || unit === 0x0a;
}

/** Two texts as one, with something between them. */
export function joinFormatted(one: FormattedText, separator: string, other: FormattedText): FormattedText {
  const shift = one.text.length + separator.length;
  return {
    text: one.text + separator + other.text,
    entities: [...one.entities, ...other.entities.map((entity) => ({ ...entity, offset: entity.offset + shift }))],
  };
}
