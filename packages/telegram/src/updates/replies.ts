import type { Api } from "grammy";
import type { Message } from "grammy/types";
import { nameOf } from "../place.ts";
import { placeOf } from "./sender.ts";

function ignore(): void {
  // Whoever wanted it said is told.
}

/**
 * Says short things in answer to messages. In one chat they are said one after the other: Telegram counts what is
 * refused, too, so that many that are tried again side by side would keep a chat closed. What somebody is to be told and
 * waits to be told already is not said once more, however often they ask.
 */
export class Replies {
  readonly #api: Api;
  /** The last that is to be said in each chat. Never rejected. */
  readonly #last = new Map<number, Promise<void>>();
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(api: Api) {
    this.#api = api;
  }

  /** Says something. Fulfilled when it is said; rejected if it cannot be. */
  say(message: Message, text: string): Promise<void> {
    const { id } = message.chat;
    const news = `${nameOf(placeOf(message))} ${text}`;
    const same = this.#waiting.get(news);
    if (same !== undefined) return same;
    const before = this.#last.get(id);
    const said = this.#sayAfter(before, news, message, text);
    const isOver = said.then(ignore, ignore);
    this.#last.set(id, isOver);
    void this.#forgetAfter(isOver, id);
    if (before !== undefined) this.#waiting.set(news, isOver);
    return said;
  }

  /** Nobody has to wait any more in a chat in which all is said. */
  async #forgetAfter(last: Promise<void>, chat: number): Promise<void> {
    await last;
    if (this.#last.get(chat) === last) this.#last.delete(chat);
  }

  async #sayAfter(before: Promise<void> | undefined, news: string, message: Message, text: string): Promise<void> {
    if (before !== undefined) await before;
    this.#waiting.delete(news);
    const { chat, message_id: id, message_thread_id: topic, is_topic_message: isTopic } = message;
    await this.#api.sendMessage(chat.id, text, {
      ...(isTopic === true && topic !== undefined && { message_thread_id: topic }),
      // In a group it has to be seen who is meant.
      ...(chat.type !== "private" && { reply_parameters: { message_id: id, allow_sending_without_reply: true } }),
    });
  }
}
