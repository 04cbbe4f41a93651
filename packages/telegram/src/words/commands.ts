import type { BotCommand } from "grammy/types";
import type { Words } from "./words.ts";

/** The commands as Telegram's menu shows them. */
export function describeCommands({ commands }: Words): BotCommand[] {
  return Object.entries(commands).map(([command, description]) => ({ command, description }));
}
