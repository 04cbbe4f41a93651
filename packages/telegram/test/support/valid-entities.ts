import type { MessageEntity } from "grammy/types";
import type { FormattedText } from "../../src/index.ts";

interface Rules {
  /** The longest text; without it, any length. */
  readonly limit?: number;
  /** The most entities of which Telegram keeps any. */
  readonly entities?: number;
  readonly mayBeEmpty?: boolean;
}

/** Telegram's rules for one message. */
export const MESSAGE: Rules = { limit: 4096, entities: 100 };
/** The same for text that is still to be split. */
export const WHOLE: Rules = { mayBeEmpty: true };

const CHANGED_BY_TELEGRAM = /[\r\t\v\f\0]|[\u2028-\u202E]|\u030A|\u0333|\u033F|[\u200E\u200F]{2}/u;
const SEEN_AS_EMPTY =
  /[ \n\u00A0\u1680\u180E\u2000-\u200F\u202E\u202F\u205F\u2800\u3000\uFEFF\uFFFC\u{E0000}-\u{E007F}]/gu;

/**
 * Everything for which Telegram would refuse a text with entities, or store it otherwise than it was sent: as the
 * source of its server has it, and stricter where that repairs something in silence.
 */
export function findFaults({ text, entities }: FormattedText, rules: Rules = MESSAGE): readonly string[] {
  const faults: string[] = [];
  const blame = (isWrong: boolean, fault: string): void => {
    if (isWrong) faults.push(fault);
  };
  blame(rules.mayBeEmpty !== true && text.replaceAll(SEEN_AS_EMPTY, "") === "", "the text is empty");
  blame(text.length > (rules.limit ?? Infinity), `the text has ${text.length} code units`);
  blame(!text.isWellFormed(), "half a surrogate pair");
  blame(CHANGED_BY_TELEGRAM.test(text), "characters that Telegram changes");
  blame(/[ \n]$/u.test(text), "white space at the end");
  blame(/^[ \n]/u.test(text) && entities[0]?.offset !== 0, "white space in front");
  blame(entities.length > (rules.entities ?? Infinity), `${entities.length} entities`);
  for (const [index, entity] of entities.entries()) {
    const name = `${entity.type} at ${entity.offset}+${entity.length}`;
    const end = entity.offset + entity.length;
    blame(!Number.isSafeInteger(entity.offset) || entity.offset < 0, `${name} begins before the text`);
    blame(!Number.isSafeInteger(entity.length) || entity.length < 1, `${name} is empty`);
    blame(end > text.length, `${name} ends after the text`);
    blame(cutsPair(text, entity.offset) || cutsPair(text, end), `${name} cuts a surrogate pair`);
    blame(entity.type === "text_link" && !isTakenAsLink(entity.url), `${name} leads to a refused address`);
    blame(entity.type === "pre" && entity.language === "", `${name} has an empty language`);
    for (const earlier of entities.slice(0, index)) {
      const fault = findQuarrel(earlier, entity);
      blame(fault !== undefined, `${earlier.type} at ${earlier.offset}+${earlier.length} and ${name}: ${fault}`);
    }
  }
  return faults;
}

/** What is wrong about two entities in this order. */
function findQuarrel(one: MessageEntity, other: MessageEntity): string | undefined {
  if (one.offset > other.offset || (one.offset === other.offset && one.length < other.length)) return "wrong order";
  if (other.offset >= one.offset + one.length) return undefined;
  if (other.offset + other.length > one.offset + one.length) return "they overlap";
  if (one.type === other.type) return "the same within itself";
  if (isCode(one)) return "something in code";
  if (isCode(other) && !isQuote(one)) return "code in something";
  if (isQuote(other)) return "a quote in something";
  return undefined;
}

function isCode(entity: MessageEntity): boolean {
  return entity.type === "code" || entity.type === "pre";
}

function isQuote(entity: MessageEntity): boolean {
  return entity.type === "blockquote" || entity.type === "expandable_blockquote";
}

function cutsPair(text: string, offset: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, offset - 1), offset + 1));
}

/** The server reads addresses by a grammar of its own, and one that it cannot read fails the whole message. */
function isTakenAsLink(url: string): boolean {
  const inside = /^tg:\/\/([^/?#]*)/u.exec(url);
  if (inside !== null) return /^[A-Za-z0-9_-]+$/u.test(inside[1] ?? "") && inside[1]?.toLowerCase() !== "user";
  const [, authority] = /^https?:\/\/([^/?#]*)/u.exec(url) ?? [];
  if (authority === undefined) return false;
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9._!$,~*'();&+=-]+)(?::(\d+))?$/u.exec(authority) ?? [];
  if (host === undefined || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) return false;
  return host.startsWith("[") || (host.includes(".") && host !== ".");
}
