import { parseArgs } from "node:util";
import { quote } from "../printable.ts";
import type { CommandDescription, OptionDescription, OptionTable, OptionValues } from "./description.ts";
import { HELP_OPTION } from "./description.ts";
import { UsageError } from "./usage-error.ts";

/** The parameters of a command, told apart. */
export interface ParsedParameters<Table extends OptionTable> {
  readonly values: OptionValues<Table>;
  readonly operands: readonly string[];
}

/**
 * Tells the parameters of a command apart by its description. `options` are those of the description, once more for
 * their types. Throws a {@link UsageError} with one sentence about what is wrong.
 */
export function parseParameters<Table extends OptionTable>(
  { name, operands }: Pick<CommandDescription, "name" | "operands">,
  options: Table,
  parameters: readonly string[],
): ParsedParameters<Table> | "help" {
  const table: OptionTable = { ...options, help: HELP_OPTION };
  // Not strict: the parser's own complaints take three lines and some of them do not tell the value.
  const parsed = parseArgs({
    args: [...parameters],
    options: { ...toParserOptions(table), help: { type: "boolean", short: "h" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of parsed.tokens) {
    if (token.kind === "option") checkToken(table, token.name, token.rawName, token.value);
  }
  if (parsed.values["help"] === true) return "help";
  const [stray] = parsed.positionals;
  if (operands === undefined && stray !== undefined) {
    throw new UsageError(`${name} takes nothing but options, got ${quote(stray)}`);
  }
  const entries = Object.entries(options).map(([key, option]) => [key, valueOf(option, parsed.values[key])]);
  // What each option comes to was made by its own description.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { values: Object.fromEntries(entries) as OptionValues<Table>, operands: parsed.positionals };
}

/** Reads a whole number that an option was given, if it was. */
export function readCount(
  name: string,
  text: string | undefined,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`${name} must be a whole number ${range}, got ${quote(text)}`);
}

/** Reads one of some words that an option was given, if it was. */
export function readChoice<Word extends string>(
  name: string,
  text: string | undefined,
  choices: readonly Word[],
): Word | undefined {
  const known = choices.find((word) => word === text);
  if (text === undefined || known !== undefined) return known;
  throw new UsageError(`${name} must be one of ${choices.join(", ")}, got ${quote(text)}`);
}

function toParserOptions(table: OptionTable) {
  return Object.fromEntries(
    Object.entries(table).map(([name, { type }]) => [
      name,
      { type: type === "flag" ? ("boolean" as const) : ("string" as const), multiple: type === "values" },
    ]),
  );
}

function checkToken(table: OptionTable, name: string, rawName: string, value: string | undefined): void {
  const type = Object.hasOwn(table, name) ? table[name]?.type : undefined;
  if (type === undefined) throw new UsageError(`there is no option ${quote(rawName)}`);
  if (type !== "flag" && value === undefined) throw new UsageError(`${rawName} needs a value`);
  if (type === "flag" && value !== undefined) throw new UsageError(`${rawName} takes no value, got ${quote(value)}`);
}

function valueOf({ type }: OptionDescription, given: unknown): boolean | string | readonly string[] | undefined {
  if (type === "flag") return given === true;
  if (type === "values") return Array.isArray(given) ? given.map(String) : [];
  return typeof given === "string" ? given : undefined;
}
