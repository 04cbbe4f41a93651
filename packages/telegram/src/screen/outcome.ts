import { GrammyError, HttpError } from "grammy";

/** What came of a call to Telegram. */
export type Outcome<T> =
  | { readonly state: "done"; readonly value: T }
  /** It may work later, and not before that. */
  | { readonly state: "later"; readonly milliseconds: number; readonly cause: "failure" | "flood" }
  /** The message is not there any more, or was never the bot's. */
  | { readonly state: "gone" }
  /** Nothing can be said in this place any more: the bot was blocked or removed, the topic closed. */
  | { readonly state: "unreachable"; readonly description: string }
  /** Telegram does not take what was said. */
  | { readonly state: "refused"; readonly description: string };

/** How long to wait after a failure of the network or of Telegram, which does not say how long. */
const PAUSE_AFTER_FAILURE_MILLISECONDS = 1_000;

/** How long to wait after a flood if nobody says how long. */
const PAUSE_AFTER_FLOOD_SECONDS = 5;

/** What Telegram says of a message that cannot be edited or deleted. There is no code for it. */
const GONE =
  /message to (?:edit|delete) not found|message can't be (?:edited|deleted)|(?<!REPLY_)MESSAGE_ID_INVALID|message identifier is not specified/iu;

/** What Telegram says of a message that cannot be replied to. */
export const NO_REPLY: RegExp = /REPLY_MESSAGE_ID_INVALID|(?:message to be replied|replied message) not found/iu;

/** What Telegram says of a place where nothing can be said. */
const UNREACHABLE =
  /chat not found|TOPIC_(?:CLOSED|DELETED)|message thread not found|not enough rights|CHAT_WRITE_FORBIDDEN|group chat was upgraded|have no rights to send/iu;

/** Makes a call and tells what came of it; throws only what is no answer of Telegram's. */
export async function outcomeOf<T>(call: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { state: "done", value: await call() };
  } catch (error) {
    return readFailure(error);
  }
}

/** What a failed call to Telegram means; throws what is no answer of Telegram's. */
export function readFailure(error: unknown): Exclude<Outcome<never>, { readonly state: "done" }> {
  if (error instanceof HttpError) return laterAfterFailure();
  if (!(error instanceof GrammyError)) throw error;
  const { error_code: code, description, parameters } = error;
  // Servers between here and Telegram can refuse for the same reason, and do not say how long.
  const seconds = parameters.retry_after ?? (code === 429 ? PAUSE_AFTER_FLOOD_SECONDS : undefined);
  if (seconds !== undefined) return { state: "later", milliseconds: seconds * 1_000, cause: "flood" };
  if (code >= 500) return laterAfterFailure();
  if (GONE.test(description)) return { state: "gone" };
  if (code === 403 || UNREACHABLE.test(description)) return { state: "unreachable", description };
  return { state: "refused", description };
}

function laterAfterFailure(): Extract<Outcome<never>, { readonly state: "later" }> {
  return { state: "later", milliseconds: PAUSE_AFTER_FAILURE_MILLISECONDS, cause: "failure" };
}
