import { checkFunction, checkNames } from "../check.ts";
import type { Engine, Generation, TokenCount } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import type { Stage } from "../stage.ts";
import type { WireWarning } from "../wire/format.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { AnswerPipe } from "./answer-pipe.ts";
import { countRemotely, counterOf } from "./count-tokens.ts";
import { createConnection, limitsOf } from "./connection.ts";
import type { Timeouts } from "./connection.ts";
import type { Fetch } from "./fetch.ts";
import { addressOf, checkHeaders, defineProvider } from "./provider.ts";
import type { Provider } from "./provider.ts";
import { receive } from "./receive.ts";
import type { Call } from "./receive.ts";
import { ROUTES } from "./routes.ts";
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

/** What a provider can be asked beyond what every engine understands. */
export interface RemoteRequest extends GenerationRequest {
  /** Told of whatever in this request the provider's dialect cannot say, when it is sent. */
  readonly onWarning?: ((warning: WireWarning) => void) | undefined;
}

/** A hosted provider, as an engine. */
export interface RemoteEngine extends Engine {
  generate(request: RemoteRequest, signal: AbortSignal): Generation;
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
    generate({ onWarning: warn = onWarning, ...request }, signal) {
      const streaming = { ...request, stream: request.stream ?? true };
      let secrets: readonly string[] = [];

      const prepare = async (): Promise<Call> => {
        const encoded = provider.format.encodeRequest(streaming);
        for (const warning of encoded.warnings) warn?.(warning);
        const own = await headersOf(provider);
        secrets = secretsOf(own);
        return {
          url: addressOf(provider, streaming),
          headers: headersFor(provider, streaming, own),
          body: JSON.stringify(encoded.body),
        };
      };
      const hadStopStrings = (request.stop?.length ?? 0) > 0;
      const { format, finishNumbers } = provider;
      const batches = (stage: Stage<GenerationEvent, GenerationEvent>): AsyncIterable<readonly GenerationEvent[]> => {
        const pipe = new AnswerPipe({
          decode: (status) => format.decodeStream({ status, hadStopStrings, finishNumbers }),
          clean: (finish) => withoutSecrets(finish, secrets),
          stage,
        });
        return receive({ connection: createConnection(signal, limits, clock), clock, fetch, prepare, pipe });
      };
      return { batches, [Symbol.asyncIterator]: () => oneByOne(batches((next) => next)) };
    },
  };
}

async function* oneByOne(batches: AsyncIterable<readonly GenerationEvent[]>): AsyncGenerator<GenerationEvent> {
  for await (const batch of batches) for (const event of batch) yield event;
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
