import type { WebhookInfo } from "grammy/types";
import type { PendingUpdate, UpdateQueue } from "./updates.ts";

/** How updates are posted. */
export interface WebhookSettings {
  readonly url: string;
  readonly secretToken: string | undefined;
  readonly maxConnections: number;
}

/** How patient the server is with a webhook. */
export interface WebhookPatience {
  /** How long until an update that was not taken is posted again. */
  readonly retryMs: number;
  /** How long a post may take. */
  readonly timeoutMs: number;
  /**
   * What waits for what. Telegram posts the messages of one chat one after the other, and the presses of one person,
   * so a bot that answers a post late does not get the next message of the chat: "by-lane". With "none" nothing waits.
   */
  readonly order: "by-lane" | "none";
}

/** Posts updates to the bot until it takes them: an answer other than 2xx, or none, means once more. */
export class Webhook {
  readonly #updates: UpdateQueue;
  readonly #patience: WebhookPatience;
  readonly #busy = new Set<string | PendingUpdate>();
  #settings: WebhookSettings | undefined;
  #ending = new AbortController();
  #connections = 0;
  #lastError: { readonly message: string; readonly date: number } | undefined;

  constructor(updates: UpdateQueue, patience: WebhookPatience) {
    this.#updates = updates;
    this.#patience = patience;
  }

  get isSet(): boolean {
    return this.#settings !== undefined;
  }

  set(settings: WebhookSettings | undefined): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.#busy.clear();
    this.#connections = 0;
    this.#lastError = undefined;
    this.#settings = settings;
    this.post();
  }

  info(): WebhookInfo {
    return {
      url: this.#settings?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: this.#updates.pending.length,
      ...(this.#settings !== undefined && { max_connections: this.#settings.maxConnections }),
      ...(this.#lastError !== undefined && {
        last_error_date: this.#lastError.date,
        last_error_message: this.#lastError.message,
      }),
      ...(this.#updates.allowed.length > 0 && { allowed_updates: [...this.#updates.allowed] }),
    };
  }

  /** Posts whatever may be posted now: the first of each lane, as many at once as there may be connections. */
  post(): void {
    const settings = this.#settings;
    if (settings === undefined) return;
    for (const pending of this.#updates.pending) {
      if (this.#connections >= settings.maxConnections) return;
      if (this.#busy.has(this.#laneOf(pending))) continue;
      this.#busy.add(this.#laneOf(pending));
      this.#connections += 1;
      void this.#deliver(pending, settings, this.#ending.signal);
    }
  }

  #laneOf(pending: PendingUpdate): string | PendingUpdate {
    return this.#patience.order === "none" ? pending : pending.lane;
  }

  async #deliver(pending: PendingUpdate, settings: WebhookSettings, ending: AbortSignal): Promise<void> {
    const failure = await this.#send(pending, settings, ending);
    if (ending.aborted) return;
    this.#connections -= 1;
    const free = (): void => {
      if (ending.aborted) return;
      this.#busy.delete(this.#laneOf(pending));
      this.post();
    };
    if (failure === undefined) {
      this.#updates.remove(pending);
      free();
    } else {
      this.#lastError = { message: failure, date: Math.floor(Date.now() / 1000) };
      setTimeout(free, this.#patience.retryMs);
      this.post();
    }
  }

  async #send(
    { update }: PendingUpdate,
    { url, secretToken }: WebhookSettings,
    ending: AbortSignal,
  ): Promise<string | undefined> {
    const headers = {
      "content-type": "application/json",
      ...(secretToken !== undefined && { "x-telegram-bot-api-secret-token": secretToken }),
    };
    const signal = AbortSignal.any([ending, AbortSignal.timeout(this.#patience.timeoutMs)]);
    try {
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(update), signal });
      await response.arrayBuffer();
      return response.ok ? undefined : `Wrong response from the webhook: ${response.status} ${response.statusText}`;
    } catch (error) {
      return `Webhook connection closed: ${String(error)}`;
    }
  }
}
