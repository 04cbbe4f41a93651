import { Composer } from "grammy";
import type { Context } from "grammy";
import type { Handle, House } from "./house.ts";
import { onHelp, onNew } from "./on-command.ts";
import { onDraftStop } from "./on-draft-stop.ts";
import { onMessage } from "./on-message.ts";
import { onMigration } from "./on-migration.ts";
import { onPress } from "./on-press.ts";
import { onStop } from "./on-stop.ts";
import { commandOf, isAddressed } from "./sender.ts";
import type { SeenUpdates } from "./seen-updates.ts";
import type { Tasks } from "./tasks.ts";

/** What the routing of updates needs. */
export interface RouteParts {
  readonly house: House;
  readonly tasks: Tasks;
  readonly seen: SeenUpdates;
}

const COMMANDS: Readonly<Record<string, Handle>> = { stop: onStop, new: onNew, start: onHelp, help: onHelp };

/**
 * Sends each update to whoever handles it, and is done with it at once: a stop must never wait behind what it is to
 * stop, however updates are fetched and put in order.
 */
export function routeUpdates({ house, tasks, seen }: RouteParts): Composer<Context> {
  const composer = new Composer<Context>();
  const handled = (handle: Handle) => (context: Context) =>
    tasks.begin(async () => {
      if (await seen.isFirst(context.update.update_id)) await handle(context, house);
    });

  composer.on("callback_query:data", handled(onPress));
  composer.on("stopped_message_generation", handled(onDraftStop));
  const messages = composer.on(["message", "channel_post"]);
  messages.filter(({ msg }) => msg.migrate_to_chat_id !== undefined, handled(onMigration));
  for (const [name, handle] of Object.entries(COMMANDS)) {
    messages.filter((context) => commandOf(context, context.msg) === name, handled(handle));
  }
  // What is not for the bot is left to whoever comes after it, and the store need not remember that it came.
  messages.filter((context) => isAddressed(context, context.msg), handled(onMessage));
  return composer;
}
