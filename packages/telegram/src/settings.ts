import { FullstopError } from "fullstop";
import type { Clock, Engine } from "fullstop";
import { createMemoryStore, systemClock } from "fullstop/control";
import type { Retention, Store } from "fullstop/control";
import { createGatewayEngine, createSkippableEngine } from "fullstop/engines";
import type { Middleware } from "grammy";
import { Registry } from "prom-client";
import {
  array,
  boolean,
  integer,
  minValue,
  nonEmpty,
  number,
  optional,
  picklist,
  pipe,
  regex,
  safeParse,
  strictObject,
  string,
  url,
} from "valibot";
import type { BaseIssue } from "valibot";
import type { ConversationSettings } from "./answers/conversations.ts";
import { checkModelSettings } from "./answers/model.ts";
import type { ModelSettings } from "./answers/model.ts";
import type { WhenBusy } from "./lanes/when-busy.ts";
import { showAddress } from "./operations/hide-secrets.ts";
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

const whole = pipe(number(), integer());
const milliseconds = pipe(whole, minValue(0));
const count = pipe(whole, minValue(1));
const text = pipe(string(), nonEmpty("must not be empty"));
const TOKEN = "must be a bot's token, such as 123456:ABC-DEF";

/** The options that are plain values. Unknown names are refused here, too. */
const PLAIN = strictObject({
  token: pipe(string(TOKEN), regex(/^\d+:[\w-]+$/u, TOKEN)),
  model: text,
  system: optional(string()),
  whenBusy: optional(picklist(["interrupt", "queue", "ignore"]), "interrupt"),
  mergeMilliseconds: optional(milliseconds, 200),
  pace: optional(
    strictObject({
      privateMilliseconds: optional(milliseconds, 1_100),
      groupMilliseconds: optional(milliseconds, 3_000),
    }),
    {},
  ),
  drafts: optional(boolean(), false),
  allow: optional(strictObject({ users: optional(array(whole)), chats: optional(array(whole)) }), {}),
  people: optional(strictObject({ messagesPerMinute: optional(count, 20), answersAtOnce: optional(count, 3) }), {}),
  conversations: optional(
    strictObject({
      maxMessages: optional(count, 100),
      maxCharacters: optional(count, 24_000),
      keepMilliseconds: optional(count, 30 * DAY),
    }),
    {},
  ),
  apiRoot: optional(pipe(string(), url("must be an address"), regex(/^https?:/iu, "must begin with http"))),
  name: optional(text, () => crypto.randomUUID()),
  leaseMilliseconds: optional(pipe(whole, minValue(100)), 10_000),
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
  const parsed = safeParse(PLAIN, given, { message: ({ expected, type }) => `must be ${expected ?? type}` });
  if (!parsed.success) throw refuse(parsed.issues);
  const { model: name, system, ...plain } = parsed.output;
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

/**
 * What is wrong with the options, with the values. Only the token is never quoted, nor are all options at once; and of
 * an address what may be a password is left out.
 */
function refuse(issues: readonly BaseIssue<unknown>[]): FullstopError {
  return new FullstopError("invalid_argument", issues.map(describe).join("; "));
}

function describe({ type, expected, path, message, input }: BaseIssue<unknown>): string {
  const name = (path ?? []).map(({ key }) => String(key)).join(".") || "the options";
  if (type === "strict_object" && path?.at(-1)?.origin === "key") {
    return expected === "never" ? `${name}: there is no such option` : `${name}: is missing`;
  }
  const isSecret = name === "token" || path === undefined;
  const shown = name === "apiRoot" && typeof input === "string" ? showAddress(input) : input;
  return isSecret ? `${name}: ${message}` : `${name}: ${message}, got ${JSON.stringify(shown)}`;
}
