import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";

/** Items that ask the caller for something other than a function, and where in them the request stands. */
const OTHER_CALLS: ReadonlyMap<string, string> = new Map([
  ["computer_call", "action"],
  ["local_shell_call", "action"],
  ["shell_call", "action"],
  ["apply_patch_call", "operation"],
  ["mcp_approval_request", "arguments"],
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
  const field = OTHER_CALLS.get(type);
  return field === undefined ? undefined : { type: "json", value: item[field] ?? {} };
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

/** Whether the provider says that an item was broken off. */
export function isBroken({ status }: JsonRecord): boolean {
  return status === "incomplete" || status === "in_progress";
}

/** The id by which the result of a call is sent back. */
export function callIdOf(item: JsonRecord): string {
  return stringOf(item["call_id"] ?? item["id"]);
}
