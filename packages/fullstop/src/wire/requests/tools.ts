import type { ToolDefinition } from "../../request.ts";
import type { JsonRecord } from "../json.ts";
import type { BodyObject, BodyValue } from "./reader.ts";

/** The tools of a request. */
export interface DividedTools {
  /** Functions of the caller's, which every dialect has. */
  readonly functions: readonly ToolDefinition[];
  /** Tools that only the provider has, as they stand. */
  readonly others: readonly JsonRecord[];
}

/** Divides tools by their type into functions, which are read, and those of the provider's own. */
export function divideTools(
  tools: BodyValue | undefined,
  isFunction: (type: unknown) => boolean,
  read: (tool: BodyObject) => ToolDefinition,
): DividedTools {
  const functions: ToolDefinition[] = [];
  const others: JsonRecord[] = [];
  for (const item of tools?.list() ?? []) {
    const tool = item.json();
    if (isFunction(tool["type"])) functions.push(read(item.object()));
    else others.push(tool);
  }
  return { functions, others };
}
