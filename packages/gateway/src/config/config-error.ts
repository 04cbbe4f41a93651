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

/** The words for a value that is of another kind, or out of bounds, where its schema has none of its own. */
export function sayWhatIsExpected({ expected, type, received }: BaseIssue<unknown>): string {
  return `must be ${expected ?? type}, got ${received}`;
}

/** What is wrong with a configuration, field by field. */
export function describeIssues(issues: readonly BaseIssue<unknown>[]): string {
  return issues.map(describeIssue).join("; ");
}

function describeIssue({ type, expected, path, message }: BaseIssue<unknown>): string {
  const keys = (path ?? []).map(({ key }) => String(key));
  const isAboutKey = type === "strict_object" && path?.at(-1)?.origin === "key";
  if (!isAboutKey) return `${nameField(keys)}: ${message}`;
  if (expected !== "never") return `${nameField(keys)}: is missing`;
  return `${nameField(keys.slice(0, -1))}: there is no field ${JSON.stringify(keys.at(-1))}`;
}

function nameField(keys: readonly string[]): string {
  return keys.join(".") || "the file";
}
