import { isAmongSome } from "../../callable-tools.ts";
import type { WithNative } from "../../native-fields.ts";
import type { GenerationRequest } from "../../request.ts";
import { isRecord, listOf, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { nativeSetting } from "../requests/native.ts";
import { withoutAbsent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";

/** The tool of the provider's own that has to be used, as it stands, or those of its own that may be. */
export function ownChoiceOf(choice: unknown, isOwn: (type: unknown) => boolean): JsonRecord | undefined {
  const { type, mode, tools } = recordOf(choice);
  if (isRecord(choice) && isOwn(type)) return choice;
  const own = type === "allowed_tools" ? listOf(tools).filter((tool) => isOwn(recordOf(tool)["type"])) : [];
  return own.length === 0 ? undefined : { type, mode, tools: own };
}

/** Whether a choice among some tools allows any, be it a function or a tool of the provider's own. */
export function allowsAny(request: GenerationRequest): boolean {
  const { toolChoice } = request;
  return isAmongSome(toolChoice) && (toolChoice.allowed.length > 0 || allowedOwnTools(request).length > 0);
}

/** A request without the provider's own tools that a choice among some does not allow. */
export function withCallableOwnTools(request: GenerationRequest, warnings: RequestWarnings): GenerationRequest {
  const { native, toolChoice } = request;
  if (native?.format !== "openai-responses" || !isAmongSome(toolChoice)) return request;
  const { tools, tool_choice: _, ...others } = native.fields;
  const allowed = new Set(allowedOwnTools(request).map(identify));
  const callable = listOf(tools).filter((tool) => tool === null || allowed.has(identify(tool)));
  const known = new Set(callable.map(identify));
  if ([...allowed].some((tool) => !known.has(tool))) {
    warnings.add("tool_choice", "The server may not understand that a part of a tool is allowed; none of it was sent.");
  }
  const hasOwn = callable.some((tool) => tool !== null);
  const fields = withoutAbsent({ ...others, tools: hasOwn ? callable : undefined });
  return { ...request, native: { ...native, fields } };
}

function allowedOwnTools(request: WithNative): readonly unknown[] {
  return listOf(recordOf(nativeSetting(request, "openai-responses", "tool_choice"))["tools"]);
}

/** What tells tools of the provider's own apart. One that is allowed in part has a name that the tool itself has not. */
function identify(tool: unknown): string {
  const { type, server_label: server, name } = recordOf(tool);
  return JSON.stringify([type, server, name]);
}
