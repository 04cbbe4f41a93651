export { conventionalProviderName, endAttributes, requestAttributes, usageAttributes } from "./gen-ai.ts";
export type { AttributeValue, SpanAttributes } from "./gen-ai.ts";
export { createRunTracer } from "./opentelemetry.ts";
export type { RunTracerOptions, SpanTracer, TelemetryApi, TraceSpan } from "./opentelemetry.ts";
