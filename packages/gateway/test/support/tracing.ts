import { AsyncLocalStorage } from "node:async_hooks";
import { ROOT_CONTEXT, context, propagation, trace } from "@opentelemetry/api";
import type { Context, ContextManager, TextMapPropagator } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";

/** Traces that stay in this process. */
export interface Tracing {
  /** The spans that have ended. */
  spans(): readonly ReadableSpan[];
  reset(): void;
}

/** What an operator's SDK registers for the whole process: where spans go, what is active, how traces travel. */
export function registerTracing(): Tracing {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  context.setGlobalContextManager(createContextManager());
  propagation.setGlobalPropagator(w3c);
  return { spans: () => exporter.getFinishedSpans(), reset: () => exporter.reset() };
}

function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, act, self, ...parameters) => storage.run(active, () => act.apply(self, parameters)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

/** The W3C's headers, and baggage as SDKs pass it on. */
const w3c: TextMapPropagator = {
  fields: () => ["traceparent", "baggage"],
  extract(active, carrier, getter) {
    const [, traceId, spanId] = /^00-(\w{32})-(\w{16})-01$/u.exec(String(getter.get(carrier, "traceparent"))) ?? [];
    if (traceId === undefined || spanId === undefined) return active;
    return trace.setSpanContext(active, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
  inject(active, carrier, setter) {
    const span = trace.getSpanContext(active);
    if (span === undefined) return;
    setter.set(carrier, "traceparent", `00-${span.traceId}-${span.spanId}-01`);
    setter.set(carrier, "baggage", "customer=private");
  },
};
