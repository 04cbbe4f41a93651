import type { JsonObject } from "../../request.ts";
import { isRecord, listOf } from "../json.ts";
import type { BodyValue } from "../requests/reader.ts";

/** No schema that a person has written comes near this depth. */
const MOST_DEPTH = 100;

/** Keywords under which one schema stands, a list of them, or one under each name. */
const SCHEMA_KEYWORDS = new Set(["items", "additionalProperties", "not"]);
const SCHEMA_LIST_KEYWORDS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SCHEMA_MAP_KEYWORDS = new Set(["properties", "defs", "$defs"]);

/** Counts, which protocol buffers write as strings because they are 64 bits wide. */
const COUNT_KEYWORDS = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);

const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["any_of", "anyOf"],
  ["prefix_items", "prefixItems"],
  ["additional_properties", "additionalProperties"],
  ["property_ordering", "propertyOrdering"],
  ["min_items", "minItems"],
  ["max_items", "maxItems"],
  ["min_length", "minLength"],
  ["max_length", "maxLength"],
  ["min_properties", "minProperties"],
  ["max_properties", "maxProperties"],
]);

/**
 * Reads the provider's own kind of schema as JSON Schema: types are in lower case, what may be null has null among its
 * types, and counts are numbers.
 */
export function decodeSchema(value: BodyValue | undefined): JsonObject | undefined {
  if (value === undefined) return undefined;
  const refuse = (): Error => value.refuse(`must be a schema of at most ${MOST_DEPTH} levels`);
  return convertSchema(value.json(), 0, refuse);
}

function convertSchema(schema: JsonObject, depth: number, refuse: () => Error): JsonObject {
  if (depth > MOST_DEPTH) throw refuse();
  const convert = (inner: unknown): unknown => (isRecord(inner) ? convertSchema(inner, depth + 1, refuse) : inner);
  const entries = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const keyword = SPELLINGS.get(key) ?? key;
    if (keyword === "nullable") return [];
    if (keyword === "type") return convertType(value, schema["nullable"] === true);
    if (SCHEMA_KEYWORDS.has(keyword)) return [[keyword, convert(value)]];
    if (SCHEMA_LIST_KEYWORDS.has(keyword)) return [[keyword, listOf(value).map(convert)]];
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isRecord(value)) {
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convert(inner)]))]];
    }
    return [[keyword, COUNT_KEYWORDS.has(keyword) ? convertCount(value) : value]];
  });
  return Object.fromEntries(entries);
}

function convertType(type: unknown, isNullable: boolean): readonly (readonly [string, unknown])[] {
  if (typeof type !== "string") return [["type", type]];
  if (type === "TYPE_UNSPECIFIED") return [];
  const name = type.toLowerCase();
  return [["type", isNullable ? [name, "null"] : name]];
}

function convertCount(count: unknown): unknown {
  return typeof count === "string" && /^\d{1,15}$/.test(count) ? Number(count) : count;
}
