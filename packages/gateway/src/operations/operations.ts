import type { FastifyRequest } from "fastify";
import { trace } from "@opentelemetry/api";
import type { EncodedResponse, WireFormat } from "fullstop/wire";
import { messageOf } from "../message-of.ts";
import { RequestError } from "../request-error.ts";
import { createRedact, keysOfRequest } from "./keys-in-text.ts";
import type { Redact } from "./keys-in-text.ts";
import { createLogObserver, createLogger } from "./logs.ts";
import type { LogSettings } from "./logs.ts";
import { createMetrics } from "./metrics.ts";
import type { GatewayMetrics, MetricsSources } from "./metrics.ts";
import { observeWith } from "./observer.ts";
import type { GenerationObserver } from "./observer.ts";
import { Readiness } from "./readiness.ts";
import { createSpanObserver } from "./spans.ts";

/** What operators see of a server. */
export interface Operations {
  /** Hears of all generations, and counts, traces and logs them. */
  readonly observer: GenerationObserver;
  readonly metrics: GatewayMetrics;
  /** Whether anybody may read the metrics, also without a key. */
  readonly areMetricsPublic: boolean;
  readonly readiness: Readiness;
  /**
   * Writes down that a request is refused, and says what to answer in its dialect, without keys. `cause` is what was
   * thrown, which is logged with its stack if it is a mistake of ours.
   */
  refuse(request: FastifyRequest, dialect: WireFormat, refusal: RequestError, cause?: unknown): EncodedResponse;
  /** Writes down that the store of generations could not do something, which goes on without it. */
  reportStoreFailure(error: unknown): void;
  /** Writes down that a provider does not say which models it has. */
  reportMissingList(provider: string, error: unknown): void;
  /** Writes down that something went wrong where nobody can be told any more. */
  reportMistake(request: FastifyRequest, error: unknown): void;
}

/** What operations are made of. */
export interface OperationsOptions extends MetricsSources {
  readonly logs: LogSettings;
  readonly areMetricsPublic: boolean;
  /** The keys of providers, which must not be in any log. */
  readonly secrets: readonly string[];
}

/** How long the log says nothing more of a store that has failed. */
const STORE_FAILURES_QUIET = 10_000;

/** Puts together what operators see of one server. */
export function createOperations(options: OperationsOptions): Operations {
  const { logs, areMetricsPublic, secrets } = options;
  const logger = createLogger(logs);
  const metrics = createMetrics(options);
  const spans = createSpanObserver(trace.getTracer("@fullstop/gateway"));

  let quietUntil = 0;

  function logMistake(error: unknown, about: object, redact: Redact): void {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    const cleaned = { type: name, message: redact(message), stack: redact(stack ?? "") };
    logger.error({ ...about, error: cleaned }, "something went wrong inside the gateway");
  }

  const redactFor = (request: FastifyRequest): Redact => createRedact([...secrets, ...keysOfRequest(request)]);

  return {
    metrics,
    areMetricsPublic,
    readiness: new Readiness(),
    observer: observeWith([spans, metrics.observer, createLogObserver(logger, logs)], (error) => {
      logMistake(error, {}, createRedact(secrets));
    }),
    refuse(request, dialect, refusal, cause) {
      const redact = redactFor(request);
      const { kind } = refusal;
      const told = new RequestError(kind, redact(refusal.message), refusal.details);
      const response = dialect.encodeError(told.signal);
      const about = { ...aboutOf(request), kind, status: response.status };
      metrics.refused(kind);
      if (kind === "server_error") logMistake(cause ?? refusal, about, redact);
      else logger.info(about, "request refused");
      return response;
    },
    reportStoreFailure(error) {
      metrics.storeFailed();
      // While it is away, every generation fails at it several times a second.
      if (performance.now() < quietUntil) return;
      quietUntil = performance.now() + STORE_FAILURES_QUIET;
      logger.warn({ error: createRedact(secrets)(messageOf(error)) }, "the store of generations failed");
    },
    reportMissingList(provider, error) {
      const about = { provider, error: createRedact(secrets)(messageOf(error)) };
      logger.warn(about, "the provider does not say which models it has; they can be asked all the same");
    },
    reportMistake(request, error) {
      metrics.refused("server_error");
      logMistake(error, aboutOf(request), redactFor(request));
    },
  };
}

/** The pattern of the address and not the address itself, in which anything may stand. */
function aboutOf({ method, routeOptions }: FastifyRequest): object {
  return { method, route: routeOptions.url };
}
