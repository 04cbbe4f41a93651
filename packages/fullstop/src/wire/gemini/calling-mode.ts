import type { WithNative } from "../../native-fields.ts";
import { isRecord, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { nativeSetting } from "../requests/native.ts";
import { unlessEmpty, withoutAbsent } from "../requests/values.ts";

/** The mode in which the model is free to call, and its calls have to keep to their schemas. No other dialect has it. */
export const VALIDATED: JsonRecord = { functionCallingConfig: { mode: "VALIDATED" } };

/** Whether a request came with that mode. */
export function isValidated(request: WithNative): boolean {
  const config = recordOf(nativeSetting(request, "gemini", "toolConfig"))["functionCallingConfig"];
  return recordOf(config)["mode"] === "VALIDATED";
}

/** A body without what it says about calls, if there is nothing to be called: the provider refuses that. */
export function withoutIdleChoice(body: JsonRecord): JsonRecord {
  const { tools, toolConfig } = body;
  if (tools !== undefined || !isRecord(toolConfig)) return body;
  const { functionCallingConfig: _, ...others } = toolConfig;
  return withoutAbsent({ ...body, toolConfig: unlessEmpty(others) });
}
