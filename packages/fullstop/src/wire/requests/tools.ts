import type { WithNative } from "../../native-fields.ts";
import type { ToolDefinition } from "../../request.ts";
import type { WireFormatName } from "../format.ts";
import { isRecord, listOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { nativeSetting, readNativeItems } from "./native.ts";
import type { BodyObject, BodyValue } from "./reader.ts";
import { leaveOutType, unlessNone } from "./values.ts";

/** The tools of a request. */
export interface DividedTools {
  /** Those of the caller's, which every dialect has: functions, and what can be made one. */
  readonly own: readonly ToolDefinition[];
  /**
   * Tools that only the provider has, as they stand, with a null for each other where one comes after them: what is
   * cached reaches from the first tool to the mark on one of them.
   */
  readonly others: readonly (JsonRecord | null)[];
}

/** Which tools of a dialect are which. */
export interface ToolKinds {
  /** Whether a tool of this type is one of the caller's, or has to be refused as none. */
  readonly isCallable: (type: unknown) => boolean;
  readonly read: (tool: BodyObject) => ToolDefinition;
  /** Whether calls of any other tool are for the caller, who could not be told what they are. Default: no. */
  readonly isUntold?: ((tool: JsonRecord) => boolean) | undefined;
}

/** Divides tools by their type into those of the caller's, which are read, and those of the provider's. */
export function divideTools(tools: readonly BodyValue[], kinds: ToolKinds): DividedTools {
  const { isCallable, read, isUntold = () => false } = kinds;
  const own: ToolDefinition[] = [];
  const others: (JsonRecord | null)[] = [];
  for (const item of tools) {
    const tool = item.json();
    const { type } = tool;
    if (isCallable(type)) {
      own.push(read(item.object()));
      others.push(null);
    } else if (isUntold(tool)) leaveOutType(item.object(), String(type));
    else others.push(...readNativeItems([item]));
  }
  const first = others.findIndex((tool) => tool !== null);
  const isMixed = first !== -1 && others.lastIndexOf(null) > first;
  return { own, others: isMixed ? others : others.filter((tool) => tool !== null) };
}

/** Puts the provider's own tools back to where they stood among the functions, or behind them where nobody says. */
export function joinTools(
  functions: readonly JsonRecord[],
  request: WithNative,
  format: WireFormatName,
): readonly JsonRecord[] | undefined {
  const others = listOf(nativeSetting(request, format, "tools"));
  const left = [...functions];
  const before = others.includes(null) ? [] : left.splice(0);
  const joined = others.flatMap((tool) => (isRecord(tool) ? [tool] : left.splice(0, 1)));
  return unlessNone([...before, ...joined, ...left]);
}
