import type { OpaquePart } from "../../request.ts";
import type { WireFormatName } from "../format.ts";
import { isRecord } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { BodyObject } from "./reader.ts";
import type { RequestWarnings } from "./warnings.ts";

/** Keeps an object that has no counterpart as it stands, to be sent back to the same provider. */
export function decodeOpaque(object: BodyObject, format: WireFormatName): OpaquePart {
  return { type: "opaque", format, value: Object.fromEntries(object.entries().map(([name, { raw }]) => [name, raw])) };
}

/** A part that only its own provider understands, as it came from there; elsewhere it is left out with a warning. */
export function encodeOpaque(
  { format, value }: OpaquePart,
  target: WireFormatName,
  path: string,
  warnings: RequestWarnings,
): readonly JsonRecord[] {
  if (format === target && isRecord(value)) return [value];
  warnings.add(path, `Only the dialect ${format} understands this part; it was left out.`);
  return [];
}
