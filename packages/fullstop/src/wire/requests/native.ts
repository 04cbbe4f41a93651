import { warningsOfNative } from "../../native-fields.ts";
import type { WithNative } from "../../native-fields.ts";
import type { GenerationRequest } from "../../request.ts";
import type { WireFormatName } from "../format.ts";
import { isRecord, listOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { BodyObject } from "./reader.ts";
import type { RequestWarnings } from "./warnings.ts";

/** Keeps what nobody has read of an object, to be written where the same dialect is spoken again. */
export function readNative(object: BodyObject, format: WireFormatName): WithNative {
  return nativeOf(object.takeUnread(), format);
}

/** What is special about the own settings of a dialect. */
export interface NativeSettings {
  /**
   * Paths of what changes the answer in a way that gets lost on its way back, or asks somebody else. It stays unread,
   * and is warned of.
   */
  readonly refused: ReadonlySet<string>;
  /** What was read elsewhere and belongs to them, such as the tools that the provider runs itself. */
  readonly lists?: Readonly<Record<string, readonly unknown[]>> | undefined;
}

/** Keeps what nobody has read of a whole request. */
export function readNativeSettings(
  root: BodyObject,
  format: WireFormatName,
  { refused, lists = {} }: NativeSettings,
): WithNative {
  const fields = root.takeUnread(refused);
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  return nativeOf(filled.length === 0 ? fields : { ...fields, ...Object.fromEntries(filled) }, format);
}

function nativeOf(fields: JsonRecord, format: WireFormatName): WithNative {
  return Object.keys(fields).length === 0 ? {} : { native: { format, fields } };
}

/** Puts what only this dialect has back to where it stood. */
export function withNative(body: JsonRecord, { native }: WithNative, format: WireFormatName): JsonRecord {
  return native?.format === format ? merge(body, native.fields) : body;
}

/** Warns of everything in a request that only another dialect has, and that is therefore left out. */
export function warnOfNative(request: GenerationRequest, format: WireFormatName, warnings: RequestWarnings): void {
  for (const { field, message } of warningsOfNative(request, format)) warnings.add(field, message);
}

/** Whether a request has tools that the provider runs itself. */
export function hasNativeTools({ native }: WithNative, format: WireFormatName): boolean {
  return native?.format === format && listOf(native.fields["tools"]).length > 0;
}

/** Adds fields to those that are there, which stay as they are; lists are joined. */
function merge(ours: JsonRecord, theirs: JsonRecord): JsonRecord {
  const both = Object.entries(ours).map(([name, value]): [string, unknown] => [
    name,
    Object.hasOwn(theirs, name) ? mergeValue(value, theirs[name]) : value,
  ]);
  // Unlike an assignment this makes an own field also of one called `__proto__`.
  return Object.fromEntries([...both, ...Object.entries(theirs).filter(([name]) => !Object.hasOwn(ours, name))]);
}

function mergeValue(ours: unknown, theirs: unknown): unknown {
  if (isRecord(ours) && isRecord(theirs)) return merge(ours, theirs);
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return ours;
  const known: readonly unknown[] = ours;
  return [...known, ...listOf(theirs).filter((item) => !known.includes(item))];
}
