import type { CommandDescription, OptionTable } from "../command-line/description.ts";
import { parseParameters, readChoice } from "../command-line/parse.ts";
import { UsageError } from "../command-line/usage-error.ts";
import { quote } from "../printable.ts";

/** The shells that a script can be written for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** A shell that a script can be written for. */
export type Shell = (typeof SHELLS)[number];

const OPTIONS = {} as const satisfies OptionTable;

/** All about `fullstop completion`. */
export const COMPLETION: CommandDescription = {
  name: "completion",
  introduction: "Prints a script by which a shell completes the commands of fullstop, their options, and their values.",
  options: OPTIONS,
  operands: { usage: SHELLS.join(" | "), suggests: SHELLS },
  examples: [
    `echo 'source <(fullstop completion bash)' >> ~/.bashrc`,
    `fullstop completion zsh > "\${fpath[1]}/_fullstop"`,
    "fullstop completion fish > ~/.config/fish/completions/fullstop.fish",
  ],
  exitCodes: [
    [0, "done"],
    [2, "a wrong call"],
  ],
};

/** Reads the parameters of `fullstop completion`. */
export function readCompletionOptions(parameters: readonly string[]): Shell | "help" {
  const parsed = parseParameters(COMPLETION, OPTIONS, parameters);
  if (parsed === "help") return "help";
  const [word, stray] = parsed.operands;
  if (stray !== undefined) throw new UsageError(`there is nothing to do with ${quote(stray)}`);
  const shell = readChoice("the shell", word, SHELLS);
  if (shell === undefined) throw new UsageError(`a shell is missing: ${SHELLS.join(", ")}`);
  return shell;
}
