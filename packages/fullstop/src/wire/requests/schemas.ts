import type { JsonObject } from "../../request.ts";
import { isRecord, listOf } from "../json.ts";

/** No schema that a person has written comes near this depth. */
export const MOST_DEPTH = 100;

/** Keywords under which one schema stands, a list of them, or one under each name. */
const SCHEMA_KEYWORDS = new Set(["items", "additionalProperties", "not"]);
const SCHEMA_LIST_KEYWORDS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SCHEMA_MAP_KEYWORDS = new Set(["properties", "defs", "$defs", "definitions"]);

/** A copy of a schema in which every schema that stands right inside it was converted. */
export function mapSchemas(schema: JsonObject, convert: (inner: JsonObject) => JsonObject): JsonObject {
  const one = (inner: unknown): unknown => (isRecord(inner) ? convert(inner) : inner);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (SCHEMA_KEYWORDS.has(keyword)) return [keyword, one(value)];
      if (SCHEMA_LIST_KEYWORDS.has(keyword)) return [keyword, listOf(value).map(one)];
      if (!SCHEMA_MAP_KEYWORDS.has(keyword) || !isRecord(value)) return [keyword, value];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner)]))];
    }),
  );
}

/**
 * A schema as a provider takes it that holds the model to every letter of it: objects have no fields but those it
 * names, and bounds that the provider does not look after are left to the description, for the model to read.
 */
export function closeSchema(
  schema: JsonObject,
  isBound: (keyword: string, value: unknown) => boolean,
): { readonly schema: JsonObject; readonly isChanged: boolean } {
  let isChanged = false;
  const close = (inner: JsonObject, depth: number): JsonObject => {
    if (depth > MOST_DEPTH) return inner;
    const copy = describeBounds(
      mapSchemas(inner, (deeper) => close(deeper, depth + 1)),
      isBound,
    );
    const isClosed = !isObjectSchema(inner) || inner["additionalProperties"] === false;
    if (!isClosed || copy["description"] !== inner["description"]) isChanged = true;
    return isClosed ? copy : { ...copy, additionalProperties: false };
  };
  return { schema: close(schema, 0), isChanged };
}

function describeBounds(schema: JsonObject, isBound: (keyword: string, value: unknown) => boolean): JsonObject {
  const entries = Object.entries(schema);
  const bounds = entries.filter(([keyword, value]) => isBound(keyword, value));
  if (bounds.length === 0) return schema;
  const words = bounds.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`).join(", ");
  const { description } = schema;
  return {
    ...Object.fromEntries(entries.filter((entry) => !bounds.includes(entry))),
    description: typeof description === "string" && description !== "" ? `${description}\n\n${words}` : words,
  };
}

/** Whether a model can be held to a schema to the letter: its objects are closed, and all their fields have to be there. */
export function isStrictSchema(schema: JsonObject, depth = 0): boolean {
  if (depth > MOST_DEPTH) return false;
  let isStrict = !isObjectSchema(schema) || hasAllFields(schema);
  mapSchemas(schema, (inner) => {
    isStrict &&= isStrictSchema(inner, depth + 1);
    return inner;
  });
  return isStrict;
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || listOf(type).includes("object") || (type === undefined && isRecord(properties));
}

function hasAllFields({ additionalProperties, properties, required }: JsonObject): boolean {
  const names = isRecord(properties) ? Object.keys(properties) : [];
  return additionalProperties === false && names.every((name) => listOf(required).includes(name));
}
