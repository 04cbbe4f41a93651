import type { z } from "zod";
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

type Issue = z.core.$ZodIssue;

/** What is wrong with a configuration, field by field. */
export function describeIssues(issues: readonly Issue[]): string {
  const problems = issues.flatMap((issue) => settle(issue, []));
  return problems.map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`).join("; ");
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** How many mistakes it stands for. */
  readonly weight: number;
}

/** What fits into none of several forms is told by the form that it comes closest to. */
function settle(issue: Issue, above: readonly PropertyKey[]): readonly Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const forms = issue.errors.map((issues) => issues.flatMap((each) => settle(each, path)));
    return forms.reduce((closest, form) => (weigh(form) < weigh(closest) ? form : closest));
  }
  return [{ path, message: issue.message, weight: issue.code === "unrecognized_keys" ? issue.keys.length : 1 }];
}

function weigh(problems: readonly Problem[]): number {
  return problems.reduce((sum, { weight }) => sum + weight, 0);
}
