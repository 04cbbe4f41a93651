import type { Message } from "../../request.ts";
import { hashOf } from "../hash.ts";
import { callIdsOf } from "./calls.ts";

/** How a provider wants the ids of calls to be spelt. */
export interface CallSpelling {
  /** Whether an id is taken as it stands. */
  readonly takes: (id: string) => boolean;
  /** Another spelling, the first or a later one. */
  readonly spell: (id: string, attempt: number) => string;
}

/** Whatever they are. */
export const ANY_CALL_IDS: CallSpelling = idsUpTo(Number.POSITIVE_INFINITY);

/** Letters, digits, `_` and `-` only. */
export const PLAIN_CALL_IDS: CallSpelling = {
  takes: (id) => /^[\w-]+$/u.test(id),
  spell: (id, attempt) => {
    const base = id.replaceAll(/[^\w-]/gu, "_") || "call";
    return attempt === 1 ? base : `${base}_${attempt}`;
  },
};

/** Exactly nine letters and digits, as Mistral wants them. */
export const NINE_CHARACTER_CALL_IDS: CallSpelling = {
  takes: (id) => /^[a-zA-Z0-9]{9}$/u.test(id),
  spell: (id, attempt) => shortFormOf(id, attempt).padStart(9, "0"),
};

/** At most so many characters. */
export function idsUpTo(most: number): CallSpelling {
  return {
    takes: (id) => id.length <= most,
    spell: (id, attempt) => {
      const ending = `_${shortFormOf(id, attempt)}`;
      // Half a character at the cut would be refused as no text.
      return id.slice(0, most - ending.length).replace(/[\ud800-\udbff]$/u, "") + ending;
    },
  };
}

/** At most seven letters and digits. */
function shortFormOf(id: string, attempt: number): string {
  return hashOf(attempt === 1 ? id : `${id}_${attempt}`);
}

/**
 * A conversation with its ids spelt as a provider takes them. A call and its result stay together, different ids stay
 * different, and the next turn spells them the same: an id that another was spelt like before it came is spelt anew.
 */
export function withSpeltCallIds(messages: readonly Message[], { takes, spell }: CallSpelling): readonly Message[] {
  const ids = new Set(messages.flatMap(callIdsOf));
  if ([...ids].every(takes)) return messages;
  const spelt = new Map<string, string>();
  const taken = new Set<string>();
  const attempts = new Map<string, number>();
  for (const id of ids) {
    let spelling = id;
    if (!takes(id) || taken.has(id)) {
      const base = spell(id, 1);
      let attempt = attempts.get(base) ?? 1;
      spelling = spell(id, attempt);
      while (taken.has(spelling)) spelling = spell(id, (attempt += 1));
      attempts.set(base, attempt);
    }
    taken.add(spelling);
    spelt.set(id, spelling);
  }
  return messages.map((message) => renamed(message, (id) => spelt.get(id) ?? id));
}

function renamed(message: Message, rename: (id: string) => string): Message {
  if (message.role === "tool") return { ...message, callId: rename(message.callId) };
  if (message.role !== "assistant") return message;
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === "tool-call" ? { ...part, callId: rename(part.callId) } : part,
    ),
  };
}
