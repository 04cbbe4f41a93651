import type { JsonRecord } from "../json.ts";

/** A frame of a server-sent event stream that has no name. */
export function dataFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A frame of a server-sent event stream whose name is also the `type` of its value. */
export function eventFrame(type: string, fields: JsonRecord = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
