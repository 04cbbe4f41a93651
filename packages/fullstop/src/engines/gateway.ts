import { checkNames } from "../check.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { Engine } from "../engine.ts";
import { invalidArgument } from "../errors.ts";
import type { JsonObject } from "../request.ts";
import type { RequestFormat } from "../wire/format.ts";
import { isRecord, parseJson, recordOf } from "../wire/json.ts";
import { createConnection } from "./connection.ts";
import { openBody } from "./fetch.ts";
import type { Fetch } from "./fetch.ts";
import { checkBaseUrl } from "./provider.ts";
import { fullstopGateway } from "./providers.ts";
import { createRemoteEngine } from "./remote.ts";
import type { RemoteEngineOptions } from "./remote.ts";
import type { ProviderHeaders } from "./routes.ts";
import { createSkippableEngine } from "./skippable.ts";

/** Options of {@link createGatewayEngine}. */
export interface GatewayEngineOptions extends Omit<RemoteEngineOptions, "provider"> {
  /** Where the gateway listens, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** The key that opens it, where it has keys. */
  readonly key?: string | undefined;
  /** More headers for every request, such as `x-fullstop-provider-key`. */
  readonly headers?: ProviderHeaders | undefined;
  /** What every request says in the gateway's own words, such as `{ repetition: true, maxCharacters: 4000 }`. */
  readonly settings?: JsonObject | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof GatewayEngineOptions, true>> = {
  url: true,
  key: true,
  headers: true,
  settings: true,
  fetch: true,
  onWarning: true,
  timeouts: true,
  clock: true,
};

/** How long the gateway may take to say what came of a wish before the answer is given up for another one. */
const PATIENCE = 10_000;

/** The most characters that are read of what the gateway says to a wish, which has all of the answer so far in it. */
const MOST_CHARACTERS: number = 64 * 1024 * 1024;

/**
 * What the gateway says where the thinking does not have to be ended in another way: it was left, or it is over there
 * and the answer is on its way.
 */
const LEFT: ReadonlySet<unknown> = new Set(["stopped", "not_thinking", "already_finished"]);

/**
 * Creates an engine of a fullstop gateway: all its models, by the names they have there. An answer ends as it has ended
 * there, in the same words. Thinking that is skipped is skipped by the gateway, within the same answer; a stop closes
 * the connection, and the gateway stops the generation.
 *
 * It speaks Gemini's dialect with it. Of the four that the gateway understands it is the one in which thinking comes
 * back with whatever proof it had, budgets of thinking are numbers, and failed tools say so. It has no words for
 * `user`, `parallelToolCalls` and `strict`, which are left out with a warning, and a tool call comes whole: one that
 * was cut does not come.
 */
export function createGatewayEngine(options: GatewayEngineOptions): Engine {
  checkNames("gateway engine options", options, OPTION_NAMES);
  const { url, key, headers, settings = {}, ...others } = options;
  if (!isRecord(settings)) throw invalidArgument("settings", "must be an object", settings);
  // By the name that it has here: a provider would quote an address that is made of it, and call it `baseUrl`.
  checkBaseUrl("url", url);
  const provider = fullstopGateway(url, { apiKey: key, headers });
  const engine = createRemoteEngine({
    ...others,
    // Whatever the gateway does by default, a stop is to reach it.
    provider: { ...provider, format: withSettings(provider.format, { ...settings, onDisconnect: "stop" }) },
  });
  const { fetch = (address, init) => globalThis.fetch(address, init), clock = systemClock } = others;
  const base = `${url.replace(/\/+$/u, "")}/v1/generations`;
  // The headers of a provider may be a function; those of a gateway are not.
  const own = typeof provider.headers === "function" ? {} : (provider.headers ?? {});
  return createSkippableEngine(engine, {
    leaveThinking: (id, _, signal) =>
      skipThinking({ url: `${base}/${encodeURIComponent(id)}/stop`, headers: own, fetch, clock }, signal),
  });
}

/** A dialect in which every request says more than the dialect can. */
function withSettings(format: RequestFormat, settings: JsonObject): RequestFormat {
  return {
    ...format,
    encodeRequest(request) {
      const { body, warnings } = format.encodeRequest(request);
      return { body: { ...body, fullstop: settings }, warnings };
    },
  };
}

/** What it takes to tell a gateway that somebody wants the thinking to end. */
interface Wish {
  readonly url: string;
  readonly headers: ProviderHeaders;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

async function skipThinking({ url, headers, fetch, clock }: Wish, signal: AbortSignal): Promise<boolean> {
  const limits = { firstByteMilliseconds: Infinity, silenceMilliseconds: Infinity, totalMilliseconds: PATIENCE };
  const connection = createConnection(signal, limits, clock);
  const ask = async (): Promise<{ readonly result: unknown }> => {
    const { body } = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ mode: "skip-thinking" }),
      redirect: "manual",
      signal: connection.socket,
    });
    const { next } = openBody(body, connection.socket);
    const decoder = new TextDecoder();
    let text = "";
    for (let read = await next(); read.done !== true; read = await next()) {
      text += decoder.decode(read.value, { stream: true });
      if (text.length <= MOST_CHARACTERS) continue;
      connection.giveUp();
      break;
    }
    return { result: recordOf(parseJson(text))["result"] };
  };
  connection.open();
  try {
    const answer = await connection.wait(ask);
    return "result" in answer && LEFT.has(answer.result);
  } finally {
    connection.close();
  }
}
