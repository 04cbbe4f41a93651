import { ReadStream, WriteStream } from "node:tty";
import { FullstopError } from "fullstop";
import { createGatewayEngine } from "fullstop/engines";
import { ModelLoadError } from "fullstop/llama";
import { choosePaint } from "../colours.ts";
import { defineCommand } from "../command-line/run-command.ts";
import { ConfigError } from "../config/config-error.ts";
import { readConfig } from "../config/read-config.ts";
import { openModel } from "../models/open-model.ts";
import type { OpenedModel } from "../models/open-model.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import { Conversation } from "./conversation.ts";
import { CHAT, readChatOptions } from "./options.ts";
import type { ChatOptions } from "./options.ts";
import { runPlainChat } from "./plain-chat.ts";
import { runTerminalChat } from "./terminal-chat.ts";

/** About how many characters of a conversation a token of the context stands for, with room for the answer. */
const CHARACTERS_PER_TOKEN = 2;

/** The errors whose sentence is all there is to say. */
const PLAIN_ERRORS = [ConfigError, FullstopError, ModelLoadError];

/** Runs `fullstop chat` until somebody leaves or the input ends. */
export const runChat: RunCommand = defineCommand({
  description: CHAT,
  read: readChatOptions,
  run: chat,
  isPlain: (error) => PLAIN_ERRORS.some((kind) => error instanceof kind),
});

async function chat(options: ChatOptions, terminal: Terminal): Promise<number> {
  const { stdin, stdout } = terminal;
  const opened = await open(options, terminal);
  const { engine, model, description, contextTokens, close } = opened;
  const { system, thinking, maxTokens, json } = options;
  const conversation = new Conversation({
    engine,
    system,
    request: {
      model,
      ...(!thinking && { reasoning: { budgetTokens: 0 } }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    },
    maxCharacters: contextTokens === undefined ? Infinity : contextTokens * CHARACTERS_PER_TOKEN,
  });
  try {
    const isTerminal = stdin instanceof ReadStream && stdout instanceof WriteStream;
    if (!isTerminal || json) return await runPlainChat(conversation, json, terminal);
    await runTerminalChat(conversation, description, { stdin, stdout, paint: choosePaint(terminal) });
    return 0;
  } finally {
    await close();
  }
}

async function open({ model, gateway: url, config }: ChatOptions, { env }: Terminal): Promise<OpenedModel> {
  if (url === undefined || model === undefined) return openModel(model, await readConfig(config), env);
  const engine = createGatewayEngine({ url, key: env["FULLSTOP_KEY"] });
  return { engine, model, description: `${model} of ${url}`, contextTokens: undefined, close: async () => undefined };
}
