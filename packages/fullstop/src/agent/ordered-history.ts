import type { Message } from "../request.ts";
import { repairMessages } from "./repair-history.ts";

/** The messages of a run as they are sent. What was sent before is in order; only what has come since can need repair. */
export class OrderedHistory {
  /** How many messages have been sent. */
  #sent = 0;

  /** Gives the messages in order, which begin with those that it gave before. */
  order(messages: readonly Message[]): readonly Message[] {
    const recent = messages.slice(this.#sent);
    const repaired = repairMessages(recent);
    // Long histories are copied no more often than they have to be: in a run of thousands of turns that is most of it.
    const all = repaired === recent ? messages : [...messages.slice(0, this.#sent), ...repaired];
    this.#sent = all.length;
    return all;
  }
}
