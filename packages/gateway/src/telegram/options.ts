import { parseArgs } from "node:util";
import { quoteValue } from "../quote-value.ts";
import { UsageError, readPort } from "../serve/options.ts";
import { messageOf } from "../message-of.ts";

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

/** Reads the parameters of `fullstop telegram`. */
export function readTelegramOptions(parameters: readonly string[]): TelegramOptions | "help" {
  const values = parse(parameters);
  if (values.help === true) return "help";
  const { config, model, gateway, system, webhook, host, port, drafts = false } = values;
  if (gateway !== undefined && model === undefined) {
    throw new UsageError("--gateway needs --model, the name that the model has there");
  }
  if (webhook !== undefined && port === undefined) {
    throw new UsageError("--webhook needs --port, where Telegram's updates arrive on this machine");
  }
  if (webhook !== undefined && !URL.canParse(webhook)) {
    throw new UsageError(
      `--webhook must be an address, such as https://bot.example.org/telegram, got ${quoteValue(webhook)}`,
    );
  }
  return {
    config,
    model,
    gateway,
    system,
    webhook,
    host,
    drafts,
    port: port === undefined ? undefined : readPort("--port", port),
    whenBusy: readWhenBusy(values["when-busy"]),
    allowUsers: readIds("--allow-users", values["allow-users"]),
    allowChats: readIds("--allow-chats", values["allow-chats"]),
  };
}

function readWhenBusy(text: string | undefined): TelegramOptions["whenBusy"] {
  const known = WHEN_BUSY.find((word) => word === text);
  if (text === undefined || known !== undefined) return known;
  throw new UsageError(`--when-busy must be one of ${WHEN_BUSY.join(", ")}, got ${quoteValue(text)}`);
}

/** Telegram's numbers of people and chats, with commas between. Those of groups are negative. */
function readIds(name: string, text: string | undefined): readonly number[] | undefined {
  if (text === undefined) return undefined;
  return text.split(",").map((part) => {
    const id = Number(part);
    if (part.trim() !== "" && Number.isSafeInteger(id)) return id;
    throw new UsageError(`${name} must be numbers with commas between, got ${quoteValue(text)}`);
  });
}

function parse(parameters: readonly string[]) {
  try {
    const options = {
      config: { type: "string" },
      model: { type: "string" },
      gateway: { type: "string" },
      system: { type: "string" },
      "when-busy": { type: "string" },
      drafts: { type: "boolean" },
      "allow-users": { type: "string" },
      "allow-chats": { type: "string" },
      webhook: { type: "string" },
      host: { type: "string" },
      port: { type: "string" },
      help: { type: "boolean", short: "h" },
    } as const;
    return parseArgs({ args: [...parameters], options, strict: true }).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
