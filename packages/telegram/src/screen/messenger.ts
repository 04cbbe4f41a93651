import type { Api } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import type { Place } from "../place.ts";
import type { FormattedText } from "../text/formatted-text.ts";
import { NO_REPLY, outcomeOf } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import type { Buttons, WantedMessage } from "./plan.ts";

/** Says things in one place. Each call is made once: whoever calls decides whether it is worth another try. */
export class Messenger {
  readonly #api: Api;
  readonly #place: Place;
  /** The message that is answered, where that is not clear from the place. */
  readonly #replyTo: number | undefined;

  constructor(api: Api, place: Place, replyTo: number | undefined) {
    this.#api = api;
    this.#place = place;
    this.#replyTo = replyTo;
  }

  /** Sends a message and gives its id. Only the first of an answer is a reply. */
  async send(wanted: WantedMessage, position: "first" | "further"): Promise<Outcome<number>> {
    const replyTo = position === "first" ? this.#replyTo : undefined;
    const outcome = await this.#send(wanted, replyTo);
    // It was deleted meanwhile, and not every server knows that when it is asked to send without a reply in that case.
    const isNoReply = replyTo !== undefined && outcome.state === "refused" && NO_REPLY.test(outcome.description);
    return isNoReply ? this.#send(wanted, undefined) : outcome;
  }

  #send({ content, buttons }: WantedMessage, replyTo: number | undefined): Promise<Outcome<number>> {
    const { chat, topic } = this.#place;
    return outcomeOf(async () => {
      const message = await this.#api.sendMessage(chat, content.text, {
        ...inTopic(topic),
        entities: [...content.entities],
        // The model's links are shown as text: previews would move what somebody is reading.
        link_preview_options: { is_disabled: true },
        ...(replyTo !== undefined && {
          reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
        }),
        ...(buttons !== undefined && { reply_markup: markupOf(buttons) }),
      });
      return message.message_id;
    });
  }

  /** Makes a message what it should be. One that is that already counts as done. */
  async edit(id: number, { content, buttons }: WantedMessage): Promise<Outcome<void>> {
    const outcome = await outcomeOf(async () => {
      await this.#api.editMessageText(this.#place.chat, id, content.text, {
        entities: [...content.entities],
        link_preview_options: { is_disabled: true },
        ...(buttons !== undefined && { reply_markup: markupOf(buttons) }),
      });
    });
    const isThere = outcome.state === "refused" && /message is not modified/iu.test(outcome.description);
    return isThere ? { state: "done", value: undefined } : outcome;
  }

  /** Removes a message. */
  remove(id: number): Promise<Outcome<unknown>> {
    return outcomeOf(() => this.#api.deleteMessage(this.#place.chat, id));
  }

  /** Shows a text that is still being written, with Telegram's own stop button. */
  draft(draftId: number, { text, entities }: FormattedText): Promise<Outcome<unknown>> {
    const { chat, topic } = this.#place;
    return outcomeOf(() =>
      this.#api.raw.sendMessageDraft({
        chat_id: chat,
        ...inTopic(topic),
        draft_id: draftId,
        text,
        entities: [...entities],
        can_stop: true,
        keep_on_stop: true,
      }),
    );
  }

  /** Says that something is being written. */
  type(): Promise<Outcome<unknown>> {
    const { chat, topic } = this.#place;
    return outcomeOf(() => this.#api.sendChatAction(chat, "typing", inTopic(topic)));
  }
}

function inTopic(topic: number | undefined): { readonly message_thread_id?: number } {
  return topic === undefined ? {} : { message_thread_id: topic };
}

function markupOf(buttons: NonNullable<Buttons>): InlineKeyboardMarkup {
  return { inline_keyboard: buttons.map((row) => [...row]) };
}
