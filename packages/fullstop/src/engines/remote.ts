import { checkFunction, checkNames } from "../check.ts";
import type { Engine, Generation, RequestWarning, TokenCount } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import { runGeneration } from "../seal.ts";
import { compose } from "../stage.ts";
import type { Stage } from "../stage.ts";
import type { WireWarning } from "../wire/format.ts";
import { wellFormedJson } from "../wire/json.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { AnswerPipe } from "./answer-pipe.ts";
import { countRemotely, counterOf } from "./count-tokens.ts";
import { createConnection, limitsOf } from "./connection.ts";
import type { Timeouts } from "./connection.ts";
import { refusedSignal } from "./failures.ts";
import type { Fetch } from "./fetch.ts";
import { planRequest } from "./plan-request.ts";
import type { PlannedRequest, RemoteRequest } from "./plan-request.ts";
import { addressOf, checkHeaders, defineProvider } from "./provider.ts";
import type { Provider } from "./provider.ts";
import { iterate } from "./iterate.ts";
import { receive } from "./receive.ts";
import type { Call, Exchange } from "./receive.ts";
import { ROUTES, withHeaders } from "./routes.ts";
import type { ProviderHeaders } from "./routes.ts";
import { secretsOf, withoutSecrets } from "./secrets.ts";

/** Options of {@link createRemoteEngine}. */
export interface RemoteEngineOptions {
  readonly provider: Provider;
  /** How requests are sent. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Told of whatever in a request the provider's dialect cannot say, unless the request has an `onWarning` itself. */
  readonly onWarning?: ((warning: WireWarning) => void) | undefined;
  /** Default: 10 minutes for the first byte, 5 minutes of silence, no limit for the whole. */
  readonly timeouts?: Timeouts | undefined;
  /** The time by which `timeouts` are measured. Default: that of the machine. */
  readonly clock?: Clock | undefined;
}

/** A hosted provider, as an engine. */
export interface RemoteEngine extends Engine {
  /** Generates an answer. Without a signal nobody can cancel it. */
  generate(request: RemoteRequest, signal?: AbortSignal): Generation;
  /** Has the provider count, where its dialect has an address for that. */
  countTokens?(request: GenerationRequest, signal: AbortSignal): Promise<TokenCount>;
}

const OPTION_NAMES: Readonly<Record<keyof RemoteEngineOptions, true>> = {
  provider: true,
  fetch: true,
  onWarning: true,
  timeouts: true,
  clock: true,
};

/**
 * Creates an engine that asks a provider over HTTP. It streams unless a request says `stream: false`. What the
 * provider, the network or the clock puts an end to arrives as an error: `network_error` and `timeout` are ours, the
 * rest is what the provider said, with `retryAfterMilliseconds` in the metadata where it gave a time. Nothing is tried
 * twice. No event and no warning holds a key.
 *
 * Stop strings and other rules of a request are applied here, to what comes, whatever the provider can do: there may be
 * any number, none is shown, and at a match the connection is closed.
 */
export function createRemoteEngine(options: RemoteEngineOptions): RemoteEngine {
  checkNames("remote engine options", options, OPTION_NAMES);
  checkFunction("fetch", options.fetch);
  checkFunction("onWarning", options.onWarning);
  const provider = defineProvider(options.provider);
  const limits = limitsOf(options.timeouts ?? {});
  const { fetch = (url, init) => globalThis.fetch(url, init), clock = systemClock, onWarning } = options;

  const counter = counterOf(provider);
  return {
    ...(counter !== undefined && {
      countTokens: (request, signal) => {
        const headers = async () => headersFor(provider, { ...request, stream: false }, await headersOf(provider));
        return countRemotely({ provider, counter, headers, fetch, clock, limits }, request, signal);
      },
    }),
    generate(asked, signal = new AbortController().signal) {
      const planned = tryPlan(provider, asked);
      if ("problem" in planned) return refuse(planned.problem);
      const { request, hadStopStrings, stage: ours } = planned;
      const warnings: RequestWarning[] = [];
      let secrets: readonly string[] = [];

      const prepare = async (): Promise<Call> => {
        const encoded = provider.format.encodeRequest(request);
        const warn = asked.onWarning ?? onWarning;
        for (const warning of encoded.warnings) {
          warnings.push(warning);
          warn?.(warning);
        }
        const own = await headersOf(provider);
        secrets = secretsOf(own);
        return {
          url: addressOf(provider, request),
          headers: withHeaders(headersFor(provider, request, own), encoded.headers),
          body: wellFormedJson(encoded.body),
        };
      };
      const { format, finishNumbers } = provider;
      const exchangeThrough = (stage: Stage<GenerationEvent, GenerationEvent>): Exchange => {
        const pipe = new AnswerPipe({
          decode: (status) => format.decodeStream({ status, hadStopStrings, finishNumbers }),
          clean: (finish) => withoutSecrets(finish, secrets),
          stage: ours === undefined ? stage : compose(ours, stage),
        });
        return { connection: createConnection(signal, limits, clock), clock, fetch, prepare, pipe };
      };
      return {
        deliver: (stage, take) => receive(exchangeThrough(stage), take),
        warnings,
        [Symbol.asyncIterator]: () => iterate(exchangeThrough((next) => next)),
      };
    },
  };
}

/** A request that can be sent, or what is wrong with it, which is told like everything else: by the last event. */
function tryPlan(provider: Provider, request: RemoteRequest): PlannedRequest | { readonly problem: unknown } {
  try {
    return planRequest(provider, request);
  } catch (problem) {
    return { problem };
  }
}

/** The answer to a request that is none. */
function refuse(problem: unknown): Generation {
  return runGeneration([{ type: "finish", signal: refusedSignal(problem) }], (next) => next);
}

async function headersOf({ headers = {} }: Provider): Promise<ProviderHeaders> {
  if (typeof headers !== "function") return headers;
  const own = await headers();
  checkHeaders(own);
  return own;
}

function headersFor({ format }: Provider, request: GenerationRequest, own: ProviderHeaders): ProviderHeaders {
  const route = ROUTES[format.name];
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: request.stream === false ? "application/json" : (route?.streamType ?? "text/event-stream"),
    ...route?.headers,
  };
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value;
  return headers;
}
