import type { JsonObject } from "../../request.ts";
import { listOf } from "../json.ts";
import type { BodyValue } from "../requests/reader.ts";
import { mapSchemas, MOST_DEPTH } from "../requests/schemas.ts";

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
  const entries = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const keyword = SPELLINGS.get(key) ?? key;
    if (keyword === "nullable" || (keyword === "type" && value === "TYPE_UNSPECIFIED")) return [];
    if (keyword === "type" && typeof value === "string") return [[keyword, value.toLowerCase()]];
    return [[keyword, COUNT_KEYWORDS.has(keyword) ? convertCount(value) : value]];
  });
  const converted = mapSchemas(Object.fromEntries(entries), (inner) => convertSchema(inner, depth + 1, refuse));
  return schema["nullable"] === true ? allowNull(converted) : converted;
}

/** A schema that null keeps to as well. Every keyword that would refuse it has to allow it. */
function allowNull(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema;
  const isRestricted = Array.isArray(values) || Array.isArray(anyOf) || type !== undefined;
  if (!isRestricted) return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    ...(type !== undefined && { type: [...(Array.isArray(type) ? listOf(type) : [type]), "null"] }),
    ...(Array.isArray(anyOf) && { anyOf: [...listOf(anyOf), { type: "null" }] }),
    ...(Array.isArray(values) && { enum: [...listOf(values), null] }),
  };
}

function convertCount(count: unknown): unknown {
  return typeof count === "string" && /^\d{1,15}$/.test(count) ? Number(count) : count;
}
