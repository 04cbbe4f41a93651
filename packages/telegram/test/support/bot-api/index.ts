export { startBotApi } from "./bot-api.ts";
export type { BotApi, BotApiOptions } from "./bot-api.ts";
export type { ChatScreen, SeenMessage } from "./screen.ts";
