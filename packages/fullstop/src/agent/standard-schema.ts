import { invalidArgument } from "../errors.ts";
import type { JsonObject } from "../request.ts";

/** One thing that is wrong with a value. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What checking a value comes to: the value as the schema makes it, or what is wrong with it. */
type Result<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/**
 * The part of Standard Schema that is used here. zod, valibot, arktype and others follow it, so that none of them has
 * to be depended on.
 */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): Result<Output> | Promise<Result<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** The extension by which a library tells the JSON Schema of its schema. */
    readonly jsonSchema?: { input(options: { readonly target: string }): Record<string, unknown> } | undefined;
  };
}

/** The JSON Schema of a schema, from the library that made it. */
export function toJsonSchema(schema: StandardSchema<unknown>, tool: string): JsonObject {
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw invalidArgument(
      `tool ${tool} input`,
      "comes from a library that cannot tell its JSON Schema; give it as `parameters`",
      vendor,
    );
  }
  return jsonSchema.input({ target: "draft-2020-12" });
}

/** What is wrong with a value, and where. */
export function describeIssue({ message, path = [] }: Issue): string {
  const place = path.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}
