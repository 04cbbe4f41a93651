import { warningsOfNative } from "../../native-fields.ts";
import type { WithNative } from "../../native-fields.ts";
import type { GenerationRequest } from "../../request.ts";
import type { WireFormatName } from "../format.ts";
import { isRecord, listOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { BodyObject, BodyValue } from "./reader.ts";
import { withoutAbsent } from "./values.ts";
import type { RequestWarnings } from "./warnings.ts";

/** Keeps what nobody has read of an object, to be written where the same dialect is spoken again. */
export function readNative(object: BodyObject, format: WireFormatName): WithNative {
  return nativeOf(object.takeUnread(), format);
}

/** What is special about the own settings of a dialect. */
export interface NativeSettings {
  /** Paths of what changes the answer in a way that gets lost on its way back. It stays unread, and is warned of. */
  readonly refused?: ReadonlySet<string> | undefined;
  /** What was read elsewhere and belongs to them, such as the tools that the provider runs itself. */
  readonly more?: JsonRecord | undefined;
}

/**
 * Fields by which a request names models beside the one that is asked. They are refused in every dialect, because a
 * caller may be entitled to that one alone; servers that pass requests on have many words for it.
 */
const MODELS = /^(?:model|models|model_list|preset|\w+_models?|\w*fallbacks?)$/u;

/** Keeps what nobody has read of a whole request, but for what names other models. */
export function readNativeSettings(
  root: BodyObject,
  format: WireFormatName,
  { refused, more = {} }: NativeSettings,
): WithNative {
  const fields = root.takeUnread((path) => MODELS.test(path) || refused?.has(path) === true);
  return nativeOf(merge(fields, withoutAbsent(more)), format);
}

/** Keeps the items of a list, such as tools, as they stand, and leaves out those that name models of their own. */
export function readNativeItems(items: readonly BodyValue[]): readonly JsonRecord[] {
  return items.flatMap((item) => {
    const record = item.json();
    if (!Object.keys(record).some((name) => MODELS.test(name))) return [record];
    item.leaveOut("It names a model beside the one that is asked; it was left out.");
    return [];
  });
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

/** What a request says under a name that only this dialect has, or only in this way. */
export function nativeSetting({ native }: WithNative, format: WireFormatName, name: string): unknown {
  return native?.format === format ? native.fields[name] : undefined;
}

/** Whether a request has tools that only this dialect has. */
export function hasNativeTools(request: WithNative, format: WireFormatName): boolean {
  return listOf(nativeSetting(request, format, "tools")).length > 0;
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
  // A null only marks the place of a function among the provider's own tools.
  return [...known, ...listOf(theirs).filter((item) => item !== null && !known.includes(item))];
}
