import { listOf, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";

/**
 * What the model says in the messages of one answer. Mistral sends several where it has run tools of its own: their
 * results stand among them, which are nobody's words, and a call that has one is not for the caller to run.
 */
export function ownMessages(messages: unknown): readonly JsonRecord[] {
  const all = listOf(messages).map(recordOf);
  const answered = new Set(all.filter(isResult).map(({ tool_call_id: id }) => id));
  if (answered.size === 0) return all;
  return all.filter((message) => !isResult(message)).map((message) => withOpenCalls(message, answered));
}

function withOpenCalls(message: JsonRecord, answered: ReadonlySet<unknown>): JsonRecord {
  return {
    ...message,
    tool_calls: listOf(message["tool_calls"]).filter((call) => !answered.has(recordOf(call)["id"])),
  };
}

function isResult({ role }: JsonRecord): boolean {
  return role === "tool";
}
