export { createRunTracer } from "./opentelemetry.ts";
export type { RunTracerOptions, SpanTracer, TelemetryApi, TraceSpan } from "./opentelemetry.ts";
