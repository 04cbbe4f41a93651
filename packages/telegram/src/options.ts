import type { Clock, Engine } from "fullstop";
import type { Retention, Store } from "fullstop/control";
import type { Middleware } from "grammy";
import type { Registry } from "prom-client";
import type { ConversationSettings } from "./answers/conversations.ts";
import type { ModelSettings } from "./answers/model.ts";
import type { WhenBusy } from "./lanes/when-busy.ts";
import type { BotLog } from "./operations/log.ts";
import type { PaceSettings } from "./screen/chat-pace.ts";
import type { AllowList, PersonLimits } from "./updates/admission.ts";
import type { OwnWords } from "./words/languages.ts";

/** What answers: an engine of the library, or a fullstop gateway. */
export type AnswerSource =
  | { readonly engine: Engine; readonly gateway?: undefined }
  | { readonly gateway: GatewayAddress; readonly engine?: undefined };

/** Where a gateway is, and the key that it asks for. */
export interface GatewayAddress {
  readonly url: string;
  readonly key?: string | undefined;
}

/** What a bot is to be. Only the token, the source and the model have to be given. */
export type BotOptions = AnswerSource &
  Omit<ModelSettings, "engine"> & {
    /** The bot's token, from @BotFather. */
    readonly token: string;
    /**
     * Where answers and conversations are kept. Processes that share a store are one bot. Default: in memory, until the
     * process ends.
     */
    readonly store?: Store | undefined;
    /** What becomes of a message that comes while an answer is being written. Default `interrupt`. */
    readonly whenBusy?: WhenBusy | undefined;
    /** Messages that come this close to each other are answered as one. Default 200. */
    readonly mergeMilliseconds?: number | undefined;
    /** How far apart the edits of a chat's messages are. Default 1,100 in private chats, 3,000 elsewhere. */
    readonly pace?: Partial<PaceSettings> | undefined;
    /** Whether answers are shown in Telegram's drafts where there are any, with its own stop button. Default false. */
    readonly drafts?: boolean | undefined;
    /** Who may use the bot. Default: everybody. */
    readonly allow?: AllowList | undefined;
    /** How much one person may ask for. Default: 20 messages a minute, 3 answers at once. */
    readonly people?: Partial<PersonLimits> | undefined;
    /** How much of conversations is kept. Default: 100 messages, 24,000 characters, for 30 days after the last one. */
    readonly conversations?: Partial<ConversationSettings> | undefined;
    /**
     * What is kept of this bot's answers that have ended, beside the conversations. What others have in the same store
     * is left alone. Default: 1,000 of them, for a day.
     */
    readonly retention?: Retention | undefined;
    /** Words in place of the bot's own, by language code. */
    readonly words?: OwnWords | undefined;
    /**
     * Middleware of grammY's through which updates go before the bot gets them, such as `sequentialize` of the runner.
     * The bot is done with an update at once, so that nothing can be kept waiting behind an answer.
     */
    readonly before?: Middleware | undefined;
    /** Where the bot's metrics are put. Default: a registry of its own. */
    readonly registry?: Registry | undefined;
    /** Where the bot says what happens. Default: nowhere. */
    readonly log?: BotLog | undefined;
    /** The server of the Bot API. Default: Telegram's own. */
    readonly apiRoot?: string | undefined;
    /**
     * How this process is called where several share a store. What it is called there ends in letters that are others
     * after each start. Default: a random name.
     */
    readonly name?: string | undefined;
    /** After how long a process that does not say that it lives counts as dead. Default 10,000. */
    readonly leaseMilliseconds?: number | undefined;
    /** Default: that of the machine. */
    readonly clock?: Clock | undefined;
  };
