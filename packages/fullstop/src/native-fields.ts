import { asksForForeignTool } from "./callable-tools.ts";
import type { RequestWarning } from "./engine.ts";
import type { GenerationRequest, NativeFields } from "./request.ts";

/** Something that may have fields which only one dialect has. */
export interface WithNative {
  readonly native?: NativeFields | undefined;
}

const NOTHING: ReadonlySet<string> = new Set();

/** What is said of the group of a call's tool, which is in the tool's name for all who know no groups. */
const GROUP: ReadonlySet<string> = new Set(["namespace", "name"]);

/**
 * Warnings of everything in a request that only another dialect has than the one that is spoken, and that is therefore
 * left out. Without a dialect that is all of it.
 */
export function warningsOfNative(request: GenerationRequest, format?: string): readonly RequestWarning[] {
  const warnings: RequestWarning[] = [];
  const look = ({ native }: WithNative, path: string, told: ReadonlySet<string> = NOTHING): void => {
    if (native === undefined || native.format === format) return;
    for (const [name, value] of Object.entries(native.fields)) {
      if (told.has(name) || (path === "" && name === "tools" && areGroups(value))) continue;
      warnings.push({ field: path + name, message: `Only the dialect ${native.format} has this; it was left out.` });
    }
  };
  look(request, "");
  if (asksForForeignTool(request, format)) {
    const message = "Only another dialect has the tool that has to be called; none is called in its place.";
    warnings.push({ field: "toolChoice", message });
  }
  for (const [index, tool] of (request.tools ?? []).entries()) look(tool, `tools[${index}].`);
  for (const [index, message] of request.messages.entries()) {
    look(message, `messages[${index}].`);
    for (const [place, part] of message.content.entries()) {
      const told = part.type === "tool-call" ? GROUP : NOTHING;
      if ("native" in part) look(part, `messages[${index}].content[${place}].`, told);
    }
  }
  return warnings;
}

/** Whether a provider's own tools are only groups, each of whose tools is one of the request's as well. */
function areGroups(tools: unknown): boolean {
  return Array.isArray(tools) && tools.every((tool: unknown) => tool === null || isGroup(tool));
}

function isGroup(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && "type" in tool && tool.type === "namespace";
}
