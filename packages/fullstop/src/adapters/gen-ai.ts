import type { Usage } from "../events.ts";
import type { TerminationReason, TerminationSignal } from "../termination.ts";

/** A value that a span can carry. */
export type AttributeValue = string | number | boolean | string[];

/** Names and values that a span carries. */
export type SpanAttributes = Readonly<Record<string, AttributeValue>>;

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

/** The conventions' names for providers, where the library has others. The rest are the same in both. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** The conventions' name for a provider; one that they do not know keeps its own. */
export function conventionalProviderName(name: string): string {
  return (Object.hasOwn(PROVIDER_NAMES, name) ? PROVIDER_NAMES[name] : undefined) ?? name;
}

/** What a span of one answer begins with, by the GenAI conventions. */
export function requestAttributes(model: string, provider?: string): SpanAttributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": model,
    ...(provider !== undefined && { "gen_ai.provider.name": conventionalProviderName(provider) }),
  };
}

/** How an answer has ended, by the GenAI conventions and in our own words. Nothing of what anybody has written. */
export function endAttributes({ reason, detail, confidence }: TerminationSignal): SpanAttributes {
  return {
    "gen_ai.response.finish_reasons": [FINISH_REASONS[reason]],
    "fullstop.termination.reason": reason,
    "fullstop.termination.confidence": confidence,
    ...(detail !== undefined && { "fullstop.termination.detail": detail }),
    ...(reason === "error_termination" && { "error.type": detail ?? "error" }),
  };
}

/** What an answer has cost, by the GenAI conventions. */
export function usageAttributes({ inputTokens, outputTokens }: Usage): SpanAttributes {
  return { "gen_ai.usage.input_tokens": inputTokens, "gen_ai.usage.output_tokens": outputTokens };
}
