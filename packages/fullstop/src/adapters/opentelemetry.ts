import type { AgentEvent } from "../agent/events.ts";
import type { AgentResult } from "../agent/result.ts";
import { checkNames } from "../check.ts";
import type { GenerationEvent } from "../events.ts";
import type { ToolCallPart } from "../request.ts";
import type { TerminationSignal } from "../termination.ts";
import { conventionalProviderName, endAttributes, requestAttributes, usageAttributes } from "./gen-ai.ts";
import type { AttributeValue } from "./gen-ai.ts";

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
  /**
   * Who is asked, in the words of the conventions, such as `openai`, `aws.bedrock` or `gcp.vertex_ai`: one for all
   * runs, or by the names that a client has for its providers. Default: those names, `google` for instance as
   * `gcp.gemini` and one that nobody knows as it is. Of a run without a client nothing is said, because a model does
   * not tell who serves it.
   */
  readonly provider?: string | Readonly<Record<string, string>> | undefined;
}

const CLIENT_KIND = 2;
const ERROR_STATUS = 2;

const OPTION_NAMES: Readonly<Record<keyof RunTracerOptions<unknown, TraceSpan>, true>> = {
  tracer: true,
  api: true,
  agentName: true,
  provider: true,
};

/** A call and its span. */
interface ToolSpan<Span> {
  readonly call: ToolCallPart;
  readonly span: Span;
}

/** The spans of one run. */
interface RunSpans<Context, Span> {
  readonly run: Span;
  readonly context: Context;
  /** Those of the calls under way, in the order in which they began. */
  readonly tools: ToolSpan<Span>[];
  turn: Span | undefined;
}

/**
 * Creates a listener for the events of runs that writes them as spans, by the GenAI conventions: one for each run, one
 * for each answer, one for each tool. They carry names, counts and reasons, never what anybody has written.
 */
export function createRunTracer<Context, Span extends TraceSpan>(
  options: RunTracerOptions<Context, Span>,
): (event: AgentEvent) => void {
  checkNames("run tracer options", options, OPTION_NAMES);
  const { tracer, api, agentName, provider } = options;
  const runs = new Map<string, RunSpans<Context, Span>>();

  /** The run begins with the provider that is asked first; its turns tell where another one was. */
  function open(event: AgentEvent): RunSpans<Context, Span> {
    const { runId } = event;
    const known = runs.get(runId);
    if (known !== undefined) return known;
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "fullstop.run.id": runId,
      ...nameProvider(event.type === "turn-start" ? event.provider : undefined, provider),
      ...(agentName !== undefined && { "gen_ai.agent.name": agentName }),
    };
    const name = agentName === undefined ? "invoke_agent" : `invoke_agent ${agentName}`;
    const run = tracer.startSpan(name, { attributes }, api.context.active());
    const spans = { run, context: api.trace.setSpan(api.context.active(), run), tools: [], turn: undefined };
    runs.set(runId, spans);
    return spans;
  }

  return (event) => {
    const spans = open(event);
    switch (event.type) {
      case "turn-start": {
        const attributes = { ...requestAttributes(event.model), ...nameProvider(event.provider, provider) };
        spans.turn = tracer.startSpan(`chat ${event.model}`, { attributes, kind: CLIENT_KIND }, spans.context);
        break;
      }
      case "generation":
        describeGeneration(spans.turn, event.event);
        break;
      case "signal":
        endTurn(spans.turn, event.signal);
        spans.turn = undefined;
        break;
      case "tool-start": {
        const { call } = event;
        const { name, callId } = call;
        const attributes = {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "gen_ai.tool.call.id": callId,
        };
        spans.tools.push({ call, span: tracer.startSpan(`execute_tool ${name}`, { attributes }, spans.context) });
        break;
      }
      case "tool-end": {
        const tool = takeOut(spans.tools, event.call);
        if (event.result.isError === true) tool?.setStatus({ code: ERROR_STATUS });
        tool?.end();
        break;
      }
      case "end":
        // Whoever does not hear every event has begun what it never heard the end of.
        for (const { span } of spans.tools) span.end();
        spans.turn?.end();
        endRun(spans.run, event.result);
        runs.delete(event.runId);
        break;
      default:
        spans.run.addEvent(`fullstop.${event.type.replaceAll("-", "_")}`, attributesOf(event));
        break;
    }
  };
}

/**
 * Takes the span of a call away. It is known by the call itself, because some providers give two calls of one answer the
 * same id; in events that were copied on their way, by the id, and of two the first that began.
 */
function takeOut<Span>(tools: ToolSpan<Span>[], call: ToolCallPart): Span | undefined {
  const own = tools.findIndex((tool) => tool.call === call);
  const place = own === -1 ? tools.findIndex((tool) => tool.call.callId === call.callId) : own;
  return place === -1 ? undefined : tools.splice(place, 1)[0]?.span;
}

/** The conventions' name for a provider: as it was given, as it is known, or its own. */
function nameProvider(
  name: string | undefined,
  given: RunTracerOptions<unknown, TraceSpan>["provider"],
): Readonly<Record<string, string>> {
  if (typeof given === "string") return { "gen_ai.provider.name": given };
  if (name === undefined) return {};
  const own = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
  return { "gen_ai.provider.name": own ?? conventionalProviderName(name) };
}

function describeGeneration(turn: TraceSpan | undefined, event: GenerationEvent): void {
  if (event.type === "start") turn?.setAttributes({ "gen_ai.response.id": event.id });
  else if (event.type === "usage") turn?.setAttributes(usageAttributes(event.usage));
}

function endTurn(turn: TraceSpan | undefined, signal: TerminationSignal): void {
  turn?.setAttributes(endAttributes(signal));
  if (signal.reason === "error_termination") turn?.setStatus({ code: ERROR_STATUS });
  turn?.end();
}

function endRun(run: TraceSpan, { end, turns, usage, signals }: AgentResult): void {
  run.setAttributes({ "fullstop.end": end, "fullstop.turns": turns, ...usageAttributes(usage) });
  const isRefused = end === "context_full" && signals.at(-1)?.reason === "error_termination";
  if (end === "failed" || isRefused) run.setStatus({ code: ERROR_STATUS });
  run.end();
}

/** What of an event between answers may be told: words of ours and numbers. */
function attributesOf(event: AgentEvent): Readonly<Record<string, AttributeValue>> {
  switch (event.type) {
    case "decision": {
      const { suggestedAction, metadata } = event.decision;
      const rule = typeof metadata["rule"] === "string" ? metadata["rule"] : "";
      return { "fullstop.action": suggestedAction, "fullstop.rule": rule };
    }
    case "nudge":
      return { "fullstop.rule": event.rule };
    case "wait":
      return { "fullstop.milliseconds": event.milliseconds };
    case "rewind":
      return { "fullstop.keep": event.keep };
    case "message-delivered":
      return { "fullstop.mode": event.mode };
    case "stop":
      return { "fullstop.detail": event.detail };
    default:
      return {};
  }
}
