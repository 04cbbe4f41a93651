import type { NativeFields } from "../../request.ts";
import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";

/** Items that ask the caller for something other than a function, and what they ask for; nothing if they do not. */
const OTHER_CALLS: ReadonlyMap<string, (item: JsonRecord) => unknown> = new Map([
  // What is to be done one after the other is a list in a field of its own.
  ["computer_call", ({ action, actions }) => (Array.isArray(actions) ? { actions } : (action ?? {}))],
  ["local_shell_call", ({ action }) => action ?? {}],
  ["shell_call", ({ action }) => action ?? {}],
  ["apply_patch_call", ({ operation }) => operation ?? {}],
  ["mcp_approval_request", ({ arguments: input }) => input ?? {}],
  // The provider searches its own list of tools, unless the caller keeps it.
  ["tool_search_call", ({ execution, arguments: input }) => (execution === "client" ? (input ?? {}) : undefined)],
]);

/** What a call of the caller's asks for: JSON, or plain text. */
export type ClientCall =
  | { readonly type: "json"; readonly value: unknown }
  | { readonly type: "text"; readonly text: string };

/** What an item asks the caller to run, if it does. */
export function clientCallOf(item: JsonRecord): ClientCall | undefined {
  const type = stringOf(item["type"]);
  if (type === "function_call") return { type: "json", value: item["arguments"] };
  if (type === "custom_tool_call") return { type: "text", text: stringOf(item["input"]) };
  const value = OTHER_CALLS.get(type)?.(item);
  return value === undefined ? undefined : { type: "json", value };
}

/** xAI's searches, which it runs itself and reports as calls of the caller's tools. */
const XAI_TOOLS = /^x_(?:keyword|semantic|user)_search$|^x_thread_fetch$|^view_(?:image|x_video)$/u;

/** Whether the provider runs a call itself: in a place of its own, by its own tools, or because the result is there. */
export function isHosted(item: JsonRecord, others: readonly unknown[] = []): boolean {
  if (item["type"] === "custom_tool_call" && XAI_TOOLS.test(stringOf(item["name"]))) return true;
  if (recordOf(item["environment"])["type"] === "container_reference") return true;
  const id = item["call_id"];
  return listOf(others).some((other) => {
    return (
      isRecord(other) && stringOf(other["type"]).endsWith("_output") && other["call_id"] === id && id !== undefined
    );
  });
}

/** Whether a call comes in pieces, so that half of it can be said. */
export function hasPieces({ type }: JsonRecord): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

/** Whether the parts of an item are texts. */
export function hasTexts({ type }: JsonRecord): boolean {
  return type === "message" || type === "reasoning";
}

/** Whether the provider says that an item was broken off. */
export function isBroken({ status }: JsonRecord): boolean {
  return status === "incomplete" || status === "in_progress";
}

/** The id by which the result of a call is sent back. */
export function callIdOf(item: JsonRecord): string {
  return stringOf(item["call_id"] ?? item["id"]);
}

/** The name of what a call asks for. Tools of the provider's kind have none but that of their kind. */
export function callNameOf(item: JsonRecord): string {
  return stringOf(item["name"] ?? item["type"]);
}

/** What a call says that has no counterpart elsewhere: the group of tools in which its name is to be looked up. */
export function ownFieldsOf({ namespace }: JsonRecord): NativeFields | undefined {
  return stringOf(namespace) === "" ? undefined : { format: "openai-responses", fields: { namespace } };
}
