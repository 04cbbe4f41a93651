import { FullstopError } from "fullstop";
import type { Clock, Engine } from "fullstop";
import { createMemoryStore, systemClock } from "fullstop/control";
import type { Retention, Store } from "fullstop/control";
import { createGatewayEngine, createSkippableEngine } from "fullstop/engines";
import type { Middleware } from "grammy";
import { Registry } from "prom-client";
import { z } from "zod";
import type { ConversationSettings } from "./answers/conversation.ts";
import { checkModelSettings } from "./answers/model.ts";
import type { ModelSettings } from "./answers/model.ts";
import type { WhenBusy } from "./lanes/lane.ts";
import { SILENT_LOG } from "./operations/log.ts";
import type { BotLog } from "./operations/log.ts";
import { createSafeLog } from "./operations/safe-log.ts";
import type { BotOptions } from "./options.ts";
import type { PaceSettings } from "./screen/chat-pace.ts";
import type { AllowList, PersonLimits } from "./updates/admission.ts";
import { defineWords } from "./words/languages.ts";
import type { FindWords } from "./words/languages.ts";

const DAY = 24 * 60 * 60 * 1_000;
const KEPT_ANSWERS: Retention = { maxAgeMilliseconds: DAY, maxCount: 1_000 };

const milliseconds = z.int().min(0);
const count = z.int().min(1);

/** The options that are plain values. Unknown names are refused here, too. */
const PLAIN = z.strictObject({
  token: z.string().regex(/^\d+:[\w-]+$/u, "must be a bot's token, such as 123456:ABC-DEF"),
  model: z.string().min(1),
  system: z.string().optional(),
  whenBusy: z.enum(["interrupt", "queue", "ignore"]).default("interrupt"),
  mergeMilliseconds: milliseconds.default(200),
  pace: z
    .strictObject({ privateMilliseconds: milliseconds.default(1_100), groupMilliseconds: milliseconds.default(3_000) })
    .prefault({}),
  drafts: z.boolean().default(false),
  allow: z.strictObject({ users: z.array(z.int()).optional(), chats: z.array(z.int()).optional() }).default({}),
  people: z.strictObject({ messagesPerMinute: count.default(20), answersAtOnce: count.default(3) }).prefault({}),
  conversations: z
    .strictObject({
      maxMessages: count.default(100),
      maxCharacters: count.default(24_000),
      keepMilliseconds: count.default(30 * DAY),
    })
    .prefault({}),
  apiRoot: z.url({ protocol: /^https?$/u }).optional(),
  name: z
    .string()
    .min(1)
    .default(() => crypto.randomUUID()),
  leaseMilliseconds: z.int().min(100).default(10_000),
});

/** Options that were checked, with everything filled in that was left out. */
export interface BotSettings {
  readonly token: string;
  /** The bot's number, which its token begins with. */
  readonly bot: number;
  readonly whenBusy: WhenBusy;
  readonly mergeMilliseconds: number;
  readonly pace: PaceSettings;
  readonly drafts: boolean;
  readonly allow: AllowList;
  readonly people: PersonLimits;
  readonly conversations: ConversationSettings;
  readonly apiRoot?: string | undefined;
  readonly name: string;
  readonly leaseMilliseconds: number;
  readonly model: ModelSettings;
  readonly store: Store;
  readonly retention: Retention;
  readonly findWords: FindWords;
  readonly before?: Middleware | undefined;
  readonly registry: Registry;
  readonly log: BotLog;
  readonly clock: Clock;
}

/** Refuses options that cannot be, and fills in what was left out. */
export function defineBotSettings(options: BotOptions): BotSettings {
  const { engine, gateway, tools, request, rules, policy, limits, settings, fallback, ...others } = options;
  const { store, retention = KEPT_ANSWERS, words, before, registry, log, clock, ...given } = others;
  const parsed = PLAIN.safeParse(given);
  if (!parsed.success) throw refuse(parsed.error.issues, given);
  const { model: name, system, ...plain } = parsed.data;
  const source = { engine: engineOf(engine, gateway), model: name, system };
  const model = { ...source, tools, request, rules, policy, limits, settings, fallback };
  checkModelSettings(model);
  return {
    ...plain,
    bot: Number.parseInt(plain.token, 10),
    model,
    store: store ?? createMemoryStore(),
    retention,
    findWords: defineWords(words),
    before,
    registry: registry ?? new Registry(),
    log: createSafeLog(log ?? SILENT_LOG, plain.token),
    clock: clock ?? systemClock,
  };
}

function engineOf(engine: BotOptions["engine"], gateway: BotOptions["gateway"]): Engine {
  if (engine !== undefined && gateway === undefined) {
    // Every answer that thinks has a button to skip that, so every engine has to be able to.
    if (typeof engine.generate === "function") return createSkippableEngine(engine);
    throw new FullstopError("invalid_argument", "engine must have a generate function");
  }
  if (gateway === undefined || engine !== undefined) {
    throw new FullstopError("invalid_argument", "a bot needs either an engine or a gateway, and not both");
  }
  return createGatewayEngine(gateway);
}

/** What is wrong with the options, with the values. Only the token is never quoted, nor are all options at once. */
function refuse(issues: readonly z.core.$ZodIssue[], options: object): FullstopError {
  const problems = issues.map(({ path, message }) => {
    const name = path.join(".") || "the options";
    const isSecret = name === "token" || path.length === 0;
    return isSecret ? `${name}: ${message}` : `${name}: ${message}, got ${JSON.stringify(valueAt(options, path))}`;
  });
  return new FullstopError("invalid_argument", problems.join("; "));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), value);
}

function isObject(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === "object" && value !== null;
}
