import { defineCommand } from "../command-line/run-command.ts";
import { COMMANDS } from "../commands.ts";
import { writeText } from "../terminal.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import { writeBashScript } from "./bash.ts";
import type { DescribedCommand, WriteScript } from "./described-command.ts";
import { writeFishScript } from "./fish.ts";
import { COMPLETION, readCompletionOptions } from "./options.ts";
import type { Shell } from "./options.ts";
import { writeZshScript } from "./zsh.ts";

const SCRIPTS: Readonly<Record<Shell, WriteScript>> = {
  bash: writeBashScript,
  zsh: writeZshScript,
  fish: writeFishScript,
};

/** Runs `fullstop completion`: prints a script for a shell. */
export const runCompletion: RunCommand = defineCommand({
  description: COMPLETION,
  read: readCompletionOptions,
  run: print,
});

async function print(shell: Shell, { stdout }: Terminal): Promise<number> {
  const commands = await Promise.all(
    [...COMMANDS.values()].map(async ({ summary, describe }): Promise<DescribedCommand> => {
      const { name, options, operands } = await describe();
      return { name, options, operands, summary };
    }),
  );
  await writeText(stdout, SCRIPTS[shell](commands));
  return 0;
}
