import { tooManyRequests } from "./refusal.ts";
import type { ChatState } from "./state.ts";

/** How often a bot may write in one chat. Topics of a chat share it. */
export interface FloodRule {
  /** The least time between two calls. */
  readonly intervalMs?: number;
  /** At most so many calls in any such time. */
  readonly window?: { readonly count: number; readonly ms: number };
  /** How long a bot is told to wait, at least. By default as long as the rule says, in whole seconds. */
  readonly retryAfterSeconds?: number;
}

/** The rules by kind of chat. Without a rule everything is let through. */
export interface FloodSettings {
  readonly private?: FloodRule;
  readonly group?: FloodRule;
}

const COUNTED = new Set(["sendMessage", "editMessageText", "editMessageReplyMarkup", "sendMessageDraft"]);

/** Counts what is written in each chat, and refuses what comes too early; edits and drafts count like messages. */
export class FloodControl {
  settings: FloodSettings;
  readonly #now: () => number;
  readonly #written = new Map<ChatState, number[]>();
  readonly #closedUntil = new Map<ChatState, number>();

  constructor(settings: FloodSettings, now: () => number) {
    this.settings = settings;
    this.#now = now;
  }

  /** Refuses a call that comes too early. Once that happened, the chat stays closed for as long as was said. */
  admit(method: string, chat: ChatState): void {
    const rule = this.#ruleFor(method, chat);
    if (rule === undefined) return;
    const now = this.#now();
    const waitMs = Math.max(this.#waitOf(rule, chat, now), (this.#closedUntil.get(chat) ?? 0) - now);
    if (waitMs <= 0) return;
    const isClosed = (this.#closedUntil.get(chat) ?? 0) > now;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000), isClosed ? 0 : (rule.retryAfterSeconds ?? 0));
    if (!isClosed) this.#closedUntil.set(chat, now + seconds * 1000);
    chat.counts.tooEarly += 1;
    throw tooManyRequests(seconds);
  }

  /** Counts a call that was carried out. */
  count(method: string, chat: ChatState): void {
    const rule = this.#ruleFor(method, chat);
    if (rule === undefined) return;
    const kept = Math.max(1, rule.window?.count ?? 1);
    this.#written.set(chat, [...(this.#written.get(chat) ?? []), this.#now()].slice(-kept));
  }

  #ruleFor(method: string, chat: ChatState): FloodRule | undefined {
    if (!COUNTED.has(method)) return undefined;
    return chat.chat.type === "private" ? this.settings.private : this.settings.group;
  }

  #waitOf({ intervalMs = 0, window }: FloodRule, chat: ChatState, now: number): number {
    const written = this.#written.get(chat) ?? [];
    const last = written.at(-1);
    const byInterval = last === undefined ? 0 : last + intervalMs - now;
    const oldest = window === undefined ? undefined : written.at(-window.count);
    const byWindow = oldest === undefined || window === undefined ? 0 : oldest + window.ms - now;
    return Math.max(byInterval, byWindow);
  }
}
