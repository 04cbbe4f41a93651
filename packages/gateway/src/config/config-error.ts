import type { BaseIssue } from "valibot";
import { messageOf } from "../message-of.ts";

/** A configuration that cannot be used; the message says where and why. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

/** Does what a field of the configuration asks for, and names the field where that is refused. */
export function inField<T>(field: string, carryOut: () => T): T {
  try {
    return carryOut();
  } catch (error) {
    throw new ConfigError(`${field}: ${messageOf(error)}`);
  }
}

/**
 * The words for a value that is of another kind, or out of bounds, where its schema has none of its own. A symbol stands
 * for what it describes.
 */
export function sayWhatIsExpected({ expected, type, received, input }: BaseIssue<unknown>): string {
  const found = typeof input === "symbol" ? input.description : received;
  return `must be ${expected ?? type}, got ${found}`;
}

/** What is wrong with a configuration, field by field. */
export function describeIssues(issues: readonly BaseIssue<unknown>[]): string {
  return issues.map(describeIssue).join("; ");
}

function describeIssue({ type, expected, path, message }: BaseIssue<unknown>): string {
  const keys = (path ?? []).map(({ key }) => String(key));
  // What is wrong with a field that is not known is not in it but around it.
  const isStranger = type === "strict_object" && expected === "never";
  return `${nameField(isStranger ? keys.slice(0, -1) : keys)}: ${message}`;
}

function nameField(keys: readonly string[]): string {
  return keys.join(".") || "the file";
}
