import type { ToolDefinition } from "../../request.ts";
import type { JsonRecord } from "../json.ts";
import { readNativeItems } from "./native.ts";
import type { BodyObject, BodyValue } from "./reader.ts";
import { leaveOutType } from "./values.ts";

/** The tools of a request. */
export interface DividedTools {
  /** Functions of the caller's, which every dialect has. */
  readonly functions: readonly ToolDefinition[];
  /** Tools that only the provider has, as they stand. */
  readonly others: readonly JsonRecord[];
}

/** Which tools of a dialect are which. */
export interface ToolKinds {
  /** Whether a tool of this type is a function, or has to be refused as none. */
  readonly isFunction: (type: unknown) => boolean;
  readonly read: (tool: BodyObject) => ToolDefinition;
  /** Whether calls of a tool that is no function are for the caller, who could not be told what they are. Default: no. */
  readonly isUntold?: ((tool: JsonRecord) => boolean) | undefined;
}

/** Divides tools by their type into functions, which are read, and those of the provider's own. */
export function divideTools(tools: BodyValue | undefined, kinds: ToolKinds): DividedTools {
  const { isFunction, read, isUntold = () => false } = kinds;
  const functions: ToolDefinition[] = [];
  const others: BodyValue[] = [];
  for (const item of tools?.list() ?? []) {
    const tool = item.json();
    const { type } = tool;
    if (isFunction(type)) functions.push(read(item.object()));
    else if (isUntold(tool)) leaveOutType(item.object(), String(type));
    else others.push(item);
  }
  return { functions, others: readNativeItems(others) };
}
