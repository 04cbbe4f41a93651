/**
 * The AI SDK's types name those of a package that it does not bring along. What is measured never touches them.
 */
declare module "json-schema" {
  export type JSONSchema7 = Readonly<Record<string, unknown>>;
  export type JSONSchema7Definition = JSONSchema7 | boolean;
}
