import type { GenerationEvent } from "../../events.ts";
import type { WithNative } from "../../native-fields.ts";
import type { GenerationRequest, ToolDefinition } from "../../request.ts";
import { listOf, recordOf, stringOf } from "../json.ts";
import { nativeSetting } from "../requests/native.ts";
import { idsUpTo } from "../requests/spelt-calls.ts";

/** How long the name of a tool may be for every provider. */
const SHORT = idsUpTo(64);

/** A tool of a group, by the name that it has in there. */
export interface GroupedTool {
  readonly namespace: string;
  readonly name: string;
}

/** The tools of the groups of a request, by what they are called where there are no groups. */
export type ToolGroups = ReadonlyMap<string, GroupedTool>;

/**
 * What a tool of a group is called where there are no groups: models know such names from tools of MCP, of which a group
 * often is one server's.
 */
export function flatNameOf({ namespace, name }: GroupedTool): string {
  // Some groups have in their own names what stands between the two.
  const joined = namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
  const flat = joined.replaceAll(/[^\w-]/gu, "_");
  return SHORT.takes(flat) ? flat : SHORT.spell(flat, 1);
}

/** The groups of a request (`namespace`), which only Responses has. */
export function toolGroupsOf(request: Pick<GenerationRequest, "native">): ToolGroups {
  return groupsAmong(listOf(nativeSetting(request, "openai-responses", "tools")));
}

/** The groups among the tools that only Responses has. */
export function groupsAmong(others: readonly unknown[]): ToolGroups {
  const groups = new Map<string, GroupedTool>();
  for (const other of others) {
    const { type, name, tools } = recordOf(other);
    if (type !== "namespace") continue;
    for (const tool of listOf(tools)) {
      const grouped = { namespace: stringOf(name), name: stringOf(recordOf(tool)["name"]) };
      groups.set(flatNameOf(grouped), grouped);
    }
  }
  return groups;
}

/** A request without the tools that its groups hold: whoever knows groups gets them as they are. */
export function withoutGroupedTools(request: GenerationRequest): GenerationRequest {
  const groups = toolGroupsOf(request);
  if (groups.size === 0) return request;
  const { tools = [], ...others } = request;
  const left = tools.filter(({ name }) => !groups.has(name));
  return left.length === 0 ? others : { ...others, tools: left };
}

/** An event as whoever has made groups is told of it: a call of a tool in one says in which. */
export function tellGroup(event: GenerationEvent, groups: ToolGroups): GenerationEvent {
  if (event.type !== "tool-call-start" || event.native !== undefined) return event;
  const grouped = groups.get(event.name);
  if (grouped === undefined) return event;
  const { namespace, name } = grouped;
  return { ...event, name, native: { format: "openai-responses", fields: { namespace } } };
}

/** What tools of groups are called where there are no groups, by their own names. */
export type FlatNames = ReadonlyMap<string, string>;

/** The names by which a call is of a tool in a group although it does not say so: no other tool has them. */
export function flatNamesOf(own: readonly ToolDefinition[], groups: ToolGroups): FlatNames {
  const names = new Map<string, string>();
  const taken = new Set(own.map((tool) => tool.name));
  for (const [flat, { name }] of groups) {
    if (taken.has(name)) names.delete(name);
    else names.set(name, flat);
    taken.add(name);
  }
  return names;
}

/**
 * The name of a call of an earlier turn, and what else is said of it. One of a tool in a group goes by the name that the
 * tool has where there are no groups, with its own beside it. Some calls do not say their group, such as OpenAI's of tools
 * in `functions`.
 */
export function nameOfCall(
  name: string,
  own: WithNative,
  flatNames: FlatNames,
): { readonly name: string } & WithNative {
  const namespace = namespaceOf(own);
  const flat = namespace === "" ? flatNames.get(name) : flatNameOf({ namespace, name });
  if (flat === undefined) return { name, ...own };
  return { name: flat, native: { format: "openai-responses", fields: { ...own.native?.fields, name } } };
}

/** Whether a call of an earlier turn is one of a tool in a group. */
export function isInGroup(call: WithNative): boolean {
  return nativeSetting(call, "openai-responses", "name") !== undefined || namespaceOf(call) !== "";
}

function namespaceOf(call: WithNative): string {
  return stringOf(nativeSetting(call, "openai-responses", "namespace"));
}
