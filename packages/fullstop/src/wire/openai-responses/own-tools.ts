import { isAmongSome } from "../../callable-tools.ts";
import type { GenerationRequest, ToolChoice } from "../../request.ts";
import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { hasNativeTools, nativeSetting } from "../requests/native.ts";
import { isAbsent, isSame } from "../requests/plain-values.ts";
import { withoutAbsent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";

/** Types of a choice that are never those of a tool of the provider's own. */
const OTHER_CHOICES: ReadonlySet<unknown> = new Set(["function", "custom", "allowed_tools"]);

/** Whether a choice is of one of these tools of the provider's own, or of a part of it. */
export function isOwnChoice(chosen: unknown, tools: readonly (JsonRecord | null)[]): boolean {
  const { type, server_label: server } = recordOf(chosen);
  const family = familyOf(type);
  if (family === "" || OTHER_CHOICES.has(type)) return false;
  return tools.some(
    (tool) =>
      tool !== null && familyOf(tool["type"]) === family && (isAbsent(server) || tool["server_label"] === server),
  );
}

/**
 * The choice of a tool of the provider's own as it stands, or one among several tools of which some are. The caller's
 * stay in that one, so that it can be seen later whether a request still makes it.
 */
export function ownChoiceOf(choice: unknown, isOwn: (chosen: unknown) => boolean): JsonRecord | undefined {
  const { type, mode, tools } = recordOf(choice);
  if (isRecord(choice) && isOwn(choice)) return choice;
  if (type !== "allowed_tools") return undefined;
  const kept = listOf(tools).flatMap((tool): readonly unknown[] => {
    const name = callersNameOf(tool);
    if (name !== undefined) return [nameTool(name, recordOf(tool)["type"] === "custom")];
    return isOwn(tool) ? [tool] : [];
  });
  return kept.every((tool) => callersNameOf(tool) !== undefined) ? undefined : { type, mode, tools: kept };
}

/** A tool of the caller's where it is chosen. */
export function nameTool(name: string, takesText: boolean): JsonRecord {
  return { type: takesText ? "custom" : "function", name };
}

/** A request without the choice that was kept of it, which holds as long as nobody has made another. */
export interface SeparatedChoice {
  readonly request: GenerationRequest;
  readonly ownChoice: unknown;
}

/**
 * Takes the choice that was kept of a request out of it. What a program has put into its place since then wins as a
 * whole: a part of each would be a choice that nobody has made.
 */
export function separateOwnChoice(request: GenerationRequest): SeparatedChoice {
  const { native, toolChoice } = request;
  const kept = nativeSetting(request, "openai-responses", "tool_choice");
  if (native === undefined || kept === undefined) return { request, ownChoice: undefined };
  const { tool_choice: _, ...fields } = native.fields;
  const holds = isSameChoice(kept, toolChoice, hasNativeTools(request, "openai-responses"));
  return { request: { ...request, native: { ...native, fields } }, ownChoice: holds ? kept : undefined };
}

function isSameChoice(kept: unknown, toolChoice: ToolChoice | undefined, hasOwn: boolean): boolean {
  const { type, mode } = recordOf(kept);
  if (type !== "allowed_tools") return toolChoice === undefined;
  const names = toolsIn(kept).flatMap((tool) => callersNameOf(tool) ?? []);
  // Without tools of the provider's own nothing is left of it but the caller's, which the request names itself.
  return hasOwn && isAmongSome(toolChoice) && toolChoice.mode === mode && isSame(toolChoice.allowed, names);
}

/** Whether a choice among some tools allows any, be it one of the caller's or of the provider's own. */
export function allowsAny({ request: { toolChoice }, ownChoice }: SeparatedChoice): boolean {
  return isAmongSome(toolChoice) && (toolChoice.allowed.length > 0 || toolsIn(ownChoice).length > 0);
}

/** A request without the provider's own tools that a choice among some does not allow. */
export function withCallableOwnTools(
  { request, ownChoice }: SeparatedChoice,
  warnings: RequestWarnings,
): GenerationRequest {
  const { native, toolChoice } = request;
  if (native?.format !== "openai-responses" || !isAmongSome(toolChoice)) return request;
  const { tools, ...others } = native.fields;
  const own = listOf(tools).filter(isRecord);
  const meant = toolsIn(ownChoice)
    .filter((chosen) => callersNameOf(chosen) === undefined)
    .map((chosen) => toolsMeantBy(chosen, own));
  const allowed = new Set<unknown>(meant.flat());
  const callable = listOf(tools).filter((tool) => tool === null || allowed.has(tool));
  if (meant.some((some) => some.length === 0)) {
    warnings.add("tool_choice", "The server may not understand that a part of a tool is allowed; none of it was sent.");
  }
  const hasOwn = callable.some((tool) => tool !== null);
  const fields = withoutAbsent({ ...others, tools: hasOwn ? callable : undefined });
  return { ...request, native: { ...native, fields } };
}

function toolsIn(choice: unknown): readonly unknown[] {
  return listOf(recordOf(choice)["tools"]);
}

/** The name of a caller's tool that is chosen, in the shape of either dialect of OpenAI's; nothing for any other. */
function callersNameOf(tool: unknown): string | undefined {
  const { type, function: inner, custom = inner } = recordOf(tool);
  const isCallers = isAbsent(type) || type === "function" || type === "custom";
  return isCallers ? stringOf(recordOf(custom ?? tool)["name"]) : undefined;
}

/** The tools that a choice certainly means. Which of several in other spellings it does is for the provider to say. */
function toolsMeantBy(chosen: unknown, tools: readonly JsonRecord[]): readonly JsonRecord[] {
  const spelt = tools.filter((tool) => identify(tool) === identify(chosen));
  if (spelt.length > 0) return spelt;
  const alike = tools.filter((tool) => identifyLoosely(tool) === identifyLoosely(chosen));
  return alike.length === 1 ? alike : [];
}

/** What tells tools of the provider's own apart. One that is allowed in part has a name that the tool itself has not. */
function identify(tool: unknown): string {
  const { type, server_label: server, name } = recordOf(tool);
  // What is absent is null here as well, as some clients write it.
  return JSON.stringify([type, server ?? null, name ?? null]);
}

/** The same in whatever version. Where a tool has a name because all tools do, it is called what it is. */
function identifyLoosely(tool: unknown): string {
  const { type, server_label: server, name } = recordOf(tool);
  const family = familyOf(type);
  return JSON.stringify([family, server ?? null, name === family ? null : (name ?? null)]);
}

/**
 * What all spellings of the type of a tool have in common: versions differ in a date, and what is new is a preview at
 * first. OpenAI takes either for the other, and in a choice knows `web_search` by its old names alone.
 */
function familyOf(type: unknown): string {
  return stringOf(type)
    .replace(/_\d{4}_?\d{2}_?\d{2}$/u, "")
    .replace(/_preview$/u, "");
}
