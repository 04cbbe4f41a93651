import { writeText } from "../terminal.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import type { CommandDescription } from "./description.ts";
import { helpOf, usageOf } from "./help.ts";
import { UsageError } from "./usage-error.ts";

/** What a command does besides helping: how it reads its parameters, and what it does with them. */
export interface CommandParts<Options> {
  readonly description: CommandDescription;
  readonly read: (parameters: readonly string[]) => Options | "help";
  readonly run: (options: Options, terminal: Terminal) => Promise<number>;
  /** Whether an error's sentence is all there is to say, beside those about the command line. */
  readonly isPlain?: ((error: unknown) => boolean) | undefined;
}

/** The exit code of a command line, or a configuration, that cannot be followed. */
const WRONG_CALL = 2;

/** Makes a command that helps when asked to, and says in one sentence why it cannot do what it was told. */
export function defineCommand<Options>({ description, read, run, isPlain }: CommandParts<Options>): RunCommand {
  return async (parameters, terminal) => {
    try {
      const options = read(parameters);
      if (options !== "help") return await run(options, terminal);
      await writeText(terminal.stdout, helpOf(description));
      return 0;
    } catch (error) {
      const isUnderstood = error instanceof UsageError || isPlain?.(error) === true;
      if (!isUnderstood || !(error instanceof Error)) throw error;
      await writeText(terminal.stderr, `fullstop ${description.name}: ${error.message}\n${usageOf(description)}`);
      return WRONG_CALL;
    }
  };
}
