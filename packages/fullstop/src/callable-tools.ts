import type { AllowedTools, GenerationRequest, ToolChoice, ToolDefinition } from "./request.ts";

/** A choice among all tools that there are. */
export type PlainToolChoice = Exclude<ToolChoice, AllowedTools>;

/** The tools that a model may call, and whether it has to. */
export interface CallableTools {
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: PlainToolChoice | undefined;
}

/** What a request says of tools and their use. */
type ToolWishes = Pick<GenerationRequest, "tools" | "toolChoice" | "native">;

/**
 * The tools of a request that may be called, for engines that cannot tell a model to call only some of those it knows:
 * a choice among some becomes one among all that are left.
 */
export function callableTools(request: ToolWishes): CallableTools {
  const { tools = [], toolChoice } = request;
  if (asksForForeignTool(request)) return { tools, toolChoice: "none" };
  if (!isAmongSome(toolChoice)) return { tools, toolChoice };
  const allowed = new Set(toolChoice.allowed);
  return { tools: tools.filter(({ name }) => allowed.has(name)), toolChoice: toolChoice.mode };
}

/**
 * Whether the one tool that has to be called is foreign: only the provider of another dialect has it than the one that
 * is spoken, and without a dialect every such tool is foreign. Its name would be refused as that of no tool, and without
 * a choice the model could call what it was not free to call.
 */
export function asksForForeignTool({ native, tools = [], toolChoice }: ToolWishes, format?: string): boolean {
  if (native === undefined || native.format === format || tools.length === 0) return false;
  const { tool_choice: ownChoice, tools: ownTools } = native.fields;
  if (toolChoice === undefined) {
    const type = fieldOf(ownChoice, "type");
    return type !== undefined && type !== "allowed_tools";
  }
  if (typeof toolChoice !== "object" || isAmongSome(toolChoice)) return false;
  const { name } = toolChoice;
  if (tools.some((tool) => tool.name === name)) return false;
  return Array.isArray(ownTools) && ownTools.some((tool) => fieldOf(tool, "name") === name);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Whether a choice allows only some of the tools to be called. */
export function isAmongSome(choice: ToolChoice | undefined): choice is AllowedTools {
  return typeof choice === "object" && "allowed" in choice;
}
