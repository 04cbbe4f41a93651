import type { Api } from "grammy";
import type { Place } from "../place.ts";
import { AnswerScreen } from "./answer-screen.ts";
import type { AnswerScreenOptions } from "./answer-screen.ts";
import type { ChatPaces } from "./chat-pace.ts";
import { Messenger } from "./messenger.ts";
import type { Transport } from "./picture.ts";

/** What all screens of a bot have in common. */
export interface ScreensParts extends Pick<AnswerScreenOptions, "clock" | "closing" | "onCall"> {
  readonly api: Api;
  readonly paces: ChatPaces;
  /** Whether answers are shown in drafts where there are any. */
  readonly drafts: boolean;
}

/** Where an answer belongs. */
export interface AnswerPosition {
  readonly place: Place;
  /** The message that is answered. In groups, where others write in between, it has to be seen which one that is. */
  readonly questionId: number;
}

/** Makes the screens on which answers are shown. */
export class Screens {
  readonly #parts: ScreensParts;

  constructor(parts: ScreensParts) {
    this.#parts = parts;
  }

  /** Opens a screen for a new answer. */
  open(
    position: AnswerPosition,
    draftId: number,
    callbacks: Pick<AnswerScreenOptions, "onMessages" | "onUnreachable">,
  ): AnswerScreen {
    const hasDrafts = this.#parts.drafts && position.place.chatType === "private";
    return this.#create(position, { ...callbacks, transport: hasDrafts ? { kind: "drafts", draftId } : EDITS });
  }

  /** Opens the messages of an answer again, of which another process has shown a part. */
  reopen(
    position: AnswerPosition,
    messageIds: readonly number[],
    onUnreachable: AnswerScreenOptions["onUnreachable"],
  ): AnswerScreen {
    return this.#create(position, { transport: EDITS, messageIds, onMessages: async () => undefined, onUnreachable });
  }

  #create(
    { place, questionId }: AnswerPosition,
    options: Pick<AnswerScreenOptions, "transport" | "messageIds" | "onMessages" | "onUnreachable">,
  ): AnswerScreen {
    const { api, paces, clock, closing, onCall } = this.#parts;
    const isPrivate = place.chatType === "private";
    return new AnswerScreen({
      ...options,
      messenger: new Messenger(api, place, isPrivate ? undefined : questionId),
      pace: () => paces.of(place.chat, isPrivate ? "private" : "group"),
      clock,
      closing,
      onCall,
    });
  }
}

const EDITS: Transport = { kind: "edits" };
