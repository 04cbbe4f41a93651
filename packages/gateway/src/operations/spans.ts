import { SpanKind, SpanStatusCode, context, propagation, trace } from "@opentelemetry/api";
import type { Tracer } from "@opentelemetry/api";
import { endAttributes, requestAttributes, usageAttributes } from "fullstop/adapters";
import { NO_WATCH } from "./observer.ts";
import type { GenerationObserver } from "./observer.ts";
import { LOCAL_PROVIDER } from "../models/model-router.ts";

/**
 * Writes a span for each generation by the GenAI conventions, within the caller's trace where it has one. Spans carry
 * names, counts and reasons, never what anybody has written. They go nowhere unless the process has an SDK.
 */
export function createSpanObserver(tracer: Tracer): GenerationObserver {
  return {
    started({ id, request, targets, trace: headers }) {
      const [first] = targets;
      const active = context.active();
      // Where the server itself is instrumented, its span is the parent and has taken the caller's trace up already.
      const parent = trace.getSpan(active) === undefined ? propagation.extract(active, headers ?? {}) : active;
      const span = tracer.startSpan(
        `chat ${request.model}`,
        {
          kind: first?.provider === LOCAL_PROVIDER ? SpanKind.INTERNAL : SpanKind.CLIENT,
          attributes: {
            "gen_ai.response.id": id,
            ...requestAttributes(first?.model ?? request.model, first?.provider),
          },
        },
        parent,
      );
      return {
        ...NO_WATCH,
        run: (ask) => context.with(trace.setSpan(parent, span), ask),
        ended({ signal, usage, asked, failures, order }) {
          // Nobody would see what is put into it, as where the process has no SDK.
          if (!span.isRecording()) {
            span.end();
            return;
          }
          for (const { provider, model, signal: failure } of failures) {
            span.addEvent("fullstop.failure", {
              ...requestAttributes(model, provider),
              "error.type": failure.detail ?? "error",
            });
          }
          span.setAttributes({
            ...requestAttributes(asked.model, asked.provider),
            ...(usage !== undefined && usageAttributes(usage)),
            ...endAttributes(signal),
            ...(order !== undefined && { "fullstop.stop.mode": order.mode, "fullstop.stop.phase": order.phase }),
          });
          if (signal.reason === "error_termination") span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}
