import type { AgentEvent } from "../agent/events.ts";
import type { TerminationReason } from "../termination.ts";

/** A value that a span can carry. */
type AttributeValue = string | number | boolean | string[];

/** The part of OpenTelemetry's span that is used here. */
export interface TraceSpan {
  setAttributes(attributes: Readonly<Record<string, AttributeValue>>): unknown;
  addEvent(name: string, attributes?: Readonly<Record<string, AttributeValue>>): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

/** The part of OpenTelemetry's tracer that is used here. */
export interface SpanTracer<Context, Span extends TraceSpan> {
  startSpan(
    name: string,
    options: { readonly attributes: Readonly<Record<string, AttributeValue>>; readonly kind?: number },
    context: Context,
  ): Span;
}

/** The part of the module `@opentelemetry/api` that is used here. */
export interface TelemetryApi<Context, Span extends TraceSpan> {
  readonly context: { active(): Context };
  readonly trace: { setSpan(context: Context, span: Span): Context };
}

/** What a tracer of runs works with. */
export interface RunTracerOptions<Context, Span extends TraceSpan> {
  readonly tracer: SpanTracer<Context, Span>;
  /** The module `@opentelemetry/api` itself, so that it need not be depended on. */
  readonly api: TelemetryApi<Context, Span>;
  /** The name of the agent, for whoever looks at several. */
  readonly agentName?: string | undefined;
}

const CLIENT_KIND = 2;
const ERROR_STATUS = 2;

/** The word of the GenAI conventions for each reason. They have fewer than there are reasons. */
const FINISH_REASONS: Readonly<Record<TerminationReason, string>> = {
  natural_completion: "stop",
  stop_sequence: "stop",
  token_limit_reached: "length",
  context_window_exceeded: "length",
  tool_calls: "tool_call",
  content_filtered: "content_filter",
  paused: "stop",
  repetition_detected: "length",
  budget_exceeded: "length",
  cancelled: "error",
  error_termination: "error",
  unknown: "error",
};

/**
 * Creates a listener for the events of one run that writes them as spans, by the GenAI conventions: one for the run,
 * one for each answer, one for each tool. They carry names, counts and reasons, never what anybody has written.
 */
export function createRunTracer<Context, Span extends TraceSpan>(
  options: RunTracerOptions<Context, Span>,
): (event: AgentEvent) => void {
  const { tracer, api, agentName } = options;
  const tools = new Map<string, Span>();
  let run: { readonly span: Span; readonly context: Context } | undefined;
  let turn: Span | undefined;

  function open(): { readonly span: Span; readonly context: Context } {
    if (run !== undefined) return run;
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      ...(agentName !== undefined && { "gen_ai.agent.name": agentName }),
    };
    const name = agentName === undefined ? "invoke_agent" : `invoke_agent ${agentName}`;
    const span = tracer.startSpan(name, { attributes }, api.context.active());
    run = { span, context: api.trace.setSpan(api.context.active(), span) };
    return run;
  }

  return (event) => {
    const { span, context } = open();
    switch (event.type) {
      case "turn-start": {
        const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": event.model };
        turn = tracer.startSpan(`chat ${event.model}`, { attributes, kind: CLIENT_KIND }, context);
        break;
      }
      case "generation":
        if (event.event.type === "start") turn?.setAttributes({ "gen_ai.response.id": event.event.id });
        else if (event.event.type === "usage") {
          turn?.setAttributes({
            "gen_ai.usage.input_tokens": event.event.usage.inputTokens,
            "gen_ai.usage.output_tokens": event.event.usage.outputTokens,
          });
        }
        break;
      case "signal": {
        const { reason, detail, confidence } = event.signal;
        turn?.setAttributes({
          "gen_ai.response.finish_reasons": [FINISH_REASONS[reason]],
          "fullstop.termination.reason": reason,
          "fullstop.termination.confidence": confidence,
          ...(detail !== undefined && { "fullstop.termination.detail": detail }),
        });
        if (reason === "error_termination") {
          turn?.setAttributes({ "error.type": detail ?? "error" });
          turn?.setStatus({ code: ERROR_STATUS });
        }
        turn?.end();
        turn = undefined;
        break;
      }
      case "decision": {
        const { suggestedAction, metadata } = event.decision;
        const rule = typeof metadata["rule"] === "string" ? metadata["rule"] : "";
        span.addEvent("fullstop.decision", { "fullstop.action": suggestedAction, "fullstop.rule": rule });
        break;
      }
      case "nudge":
        span.addEvent("fullstop.nudge", { "fullstop.rule": event.rule });
        break;
      case "wait":
        span.addEvent("fullstop.wait", { "fullstop.milliseconds": event.milliseconds });
        break;
      case "message-delivered":
        span.addEvent("fullstop.message_delivered", { "fullstop.mode": event.mode });
        break;
      case "stop":
        span.addEvent("fullstop.stop", { "fullstop.detail": event.detail });
        break;
      case "tool-start": {
        const { name, callId } = event.call;
        const attributes = {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "gen_ai.tool.call.id": callId,
        };
        tools.set(callId, tracer.startSpan(`execute_tool ${name}`, { attributes }, context));
        break;
      }
      case "tool-end": {
        const tool = tools.get(event.call.callId);
        if (event.result.isError === true) tool?.setStatus({ code: ERROR_STATUS });
        tool?.end();
        tools.delete(event.call.callId);
        break;
      }
      case "end": {
        const { end, turns, usage } = event.result;
        span.setAttributes({
          "fullstop.end": end,
          "fullstop.turns": turns,
          "gen_ai.usage.input_tokens": usage.inputTokens,
          "gen_ai.usage.output_tokens": usage.outputTokens,
        });
        if (end === "failed") span.setStatus({ code: ERROR_STATUS });
        span.end();
        break;
      }
    }
  };
}
