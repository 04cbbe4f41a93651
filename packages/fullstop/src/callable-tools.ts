import type { AllowedTools, GenerationRequest, ToolChoice, ToolDefinition } from "./request.ts";

/** A choice among all tools that there are. */
export type PlainToolChoice = Exclude<ToolChoice, AllowedTools>;

/** The tools that a model may call, and whether it has to. */
export interface CallableTools {
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: PlainToolChoice | undefined;
}

/**
 * The tools of a request that may be called, for engines that cannot tell a model to call only some of those it knows:
 * a choice among some becomes one among all that are left.
 */
export function callableTools({
  tools = [],
  toolChoice,
}: Pick<GenerationRequest, "tools" | "toolChoice">): CallableTools {
  if (!isAmongSome(toolChoice)) return { tools, toolChoice };
  const allowed = new Set(toolChoice.allowed);
  return { tools: tools.filter(({ name }) => allowed.has(name)), toolChoice: toolChoice.mode };
}

/** Whether a choice allows only some of the tools to be called. */
export function isAmongSome(choice: ToolChoice | undefined): choice is AllowedTools {
  return typeof choice === "object" && "allowed" in choice;
}
