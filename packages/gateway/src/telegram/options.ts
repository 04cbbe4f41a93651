import type { CommandDescription, OptionTable } from "../command-line/description.ts";
import { MODEL_OPTIONS, USUAL_MODEL } from "../command-line/model-options.ts";
import { parseParameters, readChoice } from "../command-line/parse.ts";
import { UsageError } from "../command-line/usage-error.ts";
import { quote } from "../printable.ts";
import { LOOPBACK, readPort } from "../serve/options.ts";

/** What a message that comes while an answer is being written does. */
const WHEN_BUSY = ["interrupt", "queue", "ignore"] as const;

/** What `fullstop telegram` was told. */
export interface TelegramOptions {
  readonly config: string | undefined;
  /** What answers: a model, or a gateway that has it. */
  readonly model: string | undefined;
  readonly gateway: string | undefined;
  readonly system: string | undefined;
  readonly whenBusy: (typeof WHEN_BUSY)[number] | undefined;
  readonly drafts: boolean;
  readonly allowUsers: readonly number[] | undefined;
  readonly allowChats: readonly number[] | undefined;
  /** The address to which Telegram sends updates; without it they are fetched. */
  readonly webhook: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
}

const OPTIONS = {
  ...MODEL_OPTIONS,
  system: { type: "value", value: "TEXT", help: "what the model is told before every conversation" },
  "when-busy": {
    type: "value",
    value: "WORD",
    help: "what a message does that comes during an answer (default: interrupt)",
    choices: WHEN_BUSY,
  },
  drafts: { type: "flag", help: "shows answers in Telegram's drafts in private chats, with its own stop button" },
  "allow-users": {
    type: "value",
    value: "L",
    help: "who may use the bot, by their numbers, with commas between (default: everybody)",
  },
  "allow-chats": { type: "value", value: "L", help: "groups in which everybody may, by their numbers" },
  webhook: {
    type: "value",
    value: "URL",
    help:
      "has Telegram send updates to this address instead of fetching them; TELEGRAM_WEBHOOK_SECRET is what it proves " +
      "itself with (default: a random one)",
  },
  port: {
    type: "value",
    value: "N",
    help: "where this machine listens for updates, /metrics and /healthz (default: not at all)",
  },
  host: { type: "value", value: "H", help: `the address to listen on (default: ${LOOPBACK})` },
} as const satisfies OptionTable;

/** All about `fullstop telegram`. */
export const TELEGRAM: CommandDescription = {
  name: "telegram",
  introduction:
    "Runs a Telegram bot whose answers can be interrupted: by /stop, by a button, or by writing something else. " +
    "TELEGRAM_BOT_TOKEN is the bot's token, from @BotFather.",
  options: OPTIONS,
  notes:
    "Conversations are kept where FULLSTOP_STORE says: memory, a file, or redis://… for several processes (default: a " +
    "file of the user's own). FULLSTOP_LOG_LEVEL says how much is logged, as lines of JSON on standard error; never " +
    "what people and models have written. TELEGRAM_API_ROOT is the address of a Bot API server of one's own.",
  examples: ["TELEGRAM_BOT_TOKEN=123456:ABC-DEF fullstop telegram --model openai/gpt-5 --allow-users 1234567"],
  exitCodes: [
    [0, "it was told to end, and has"],
    [1, "the system does not let it go on, as when the port is taken or Telegram cannot be reached"],
    [2, "a wrong call, a configuration that cannot be used, or a token that Telegram does not know"],
  ],
};

/** Reads the parameters of `fullstop telegram`. */
export function readTelegramOptions(parameters: readonly string[]): TelegramOptions | "help" {
  const parsed = parseParameters(TELEGRAM, OPTIONS, parameters);
  if (parsed === "help") return "help";
  const { values } = parsed;
  const { config, model, gateway, system, webhook, host, port, drafts } = values;
  if (webhook !== undefined && port === undefined) {
    throw new UsageError("--webhook needs --port, where Telegram's updates arrive on this machine");
  }
  if (webhook !== undefined && !URL.canParse(webhook)) {
    throw new UsageError(
      `--webhook must be an address, such as https://bot.example.org/telegram, got ${quote(webhook)}`,
    );
  }
  return {
    config,
    model: model ?? (gateway === undefined ? undefined : USUAL_MODEL),
    gateway,
    system,
    webhook,
    host,
    drafts,
    port: port === undefined ? undefined : readPort("--port", port),
    whenBusy: readChoice("--when-busy", values["when-busy"], WHEN_BUSY),
    allowUsers: readIds("--allow-users", values["allow-users"]),
    allowChats: readIds("--allow-chats", values["allow-chats"]),
  };
}

/** Telegram's numbers of people and chats, with commas between. Those of groups are negative. */
function readIds(name: string, text: string | undefined): readonly number[] | undefined {
  if (text === undefined) return undefined;
  return text.split(",").map((part) => {
    const id = Number(part);
    if (part.trim() !== "" && Number.isSafeInteger(id)) return id;
    throw new UsageError(`${name} must be numbers with commas between, got ${quote(text)}`);
  });
}
