import type { DocumentStore } from "fullstop/control";
import { Composer } from "grammy";
import type { Context } from "grammy";
import type { BotLog } from "../operations/log.ts";
import type { Handle, House } from "./house.ts";
import { onHelp, onNew } from "./on-command.ts";
import { onDraftStop } from "./on-draft-stop.ts";
import { onMessage } from "./on-message.ts";
import { onPress } from "./on-press.ts";
import { onStop } from "./on-stop.ts";
import type { Tasks } from "./tasks.ts";

/** For how long Telegram delivers an update again if it thinks that nobody has got it. */
const REPEATED_FOR_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** What the routing of updates needs. */
export interface RouteParts {
  readonly house: House;
  readonly tasks: Tasks;
  readonly store: DocumentStore;
  readonly bot: number;
  readonly log: BotLog;
}

/**
 * Sends each update to whoever handles it, and is done with it at once: a stop must never wait behind what it is to
 * stop, however updates are fetched and put in order.
 */
export function routeUpdates({ house, tasks, store, bot, log }: RouteParts): Composer<Context> {
  const composer = new Composer<Context>();
  const handled = (handle: Handle) => (context: Context) =>
    tasks.begin(async () => {
      if (await isFirst(context.update.update_id)) await handle(context, house);
    });

  /** Updates can come twice: after a crash, or when a web server was too slow for Telegram. */
  async function isFirst(updateId: number): Promise<boolean> {
    const options = { keepMilliseconds: REPEATED_FOR_MILLISECONDS, expected: "none" } as const;
    try {
      const written = await store.writeDocument(`telegram-updates-${bot}`, String(updateId), "", options);
      return written !== undefined;
    } catch (error) {
      log.warn({ err: error }, "the store could not say whether an update has come before");
      return true;
    }
  }

  composer.command("stop", handled(onStop));
  composer.command("new", handled(onNew));
  composer.command(["start", "help"], handled(onHelp));
  composer.on("callback_query:data", handled(onPress));
  composer.on("stopped_message_generation", handled(onDraftStop));
  composer.on(["message", "channel_post"], handled(onMessage));
  return composer;
}
