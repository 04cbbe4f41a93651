import { HELP_OPTION } from "../command-line/description.ts";
import type { CommandDescription, OptionDescription } from "../command-line/description.ts";

/** A command as scripts for shells are made of it. */
export interface DescribedCommand extends Pick<CommandDescription, "name" | "options" | "operands"> {
  readonly summary: string;
}

/** Writes a script for a shell. */
export type WriteScript = (commands: readonly DescribedCommand[]) => string;

/** The options of a command with the one that every command has, by name. */
export function optionsOf({ options }: DescribedCommand): readonly (readonly [string, OptionDescription])[] {
  return [...Object.entries(options), ["help", HELP_OPTION] as const];
}

/** A text in single quotes, as the shells of Bourne's kind read it. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
