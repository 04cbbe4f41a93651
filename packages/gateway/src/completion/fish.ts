import type { OptionDescription } from "../command-line/description.ts";
import { optionsOf } from "./described-command.ts";
import type { DescribedCommand, WriteScript } from "./described-command.ts";

/** The script for fish. */
export const writeFishScript: WriteScript = (
  commands,
) => `# Completion of fullstop for fish: fullstop completion fish > ~/.config/fish/completions/fullstop.fish
complete -c fullstop -f
complete -c fullstop -n __fish_use_subcommand -l help -d 'what there is'
complete -c fullstop -n __fish_use_subcommand -l version -d 'which version this is'
${commands.map(writeCommand).join("")}`;

function writeCommand(command: DescribedCommand): string {
  const { name, summary, operands } = command;
  const start = begin(name);
  const suggests = operands?.suggests ?? [];
  return [
    `complete -c fullstop -n __fish_use_subcommand -a ${name} -d ${quoteForFish(summary)}`,
    ...optionsOf(command).map(([option, description]) => `${start} ${writeOption(option, description)}`),
    ...(suggests === "files" ? [`${start} -F`] : []),
    ...(suggests !== "files" && suggests.length > 0 ? [writeWords(name, suggests.join(" "))] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function begin(command: string, condition = ""): string {
  return `complete -c fullstop -n ${quoteForFish(`__fish_seen_subcommand_from ${command}${condition}`)}`;
}

/** Words that come first after a command: once one of them is there, no other follows. */
function writeWords(command: string, words: string): string {
  return `${begin(command, `; and not __fish_seen_subcommand_from ${words}`)} -a ${quoteForFish(words)}`;
}

function writeOption(name: string, option: OptionDescription): string {
  const help = `-d ${quoteForFish(option.help)}`;
  if (option.type === "flag") return `-l ${name} ${help}`;
  const value =
    option.choices !== undefined
      ? `-x -a ${quoteForFish(option.choices.join(" "))}`
      : option.isFile === true
        ? "-r -F"
        : "-x";
  return `-l ${name} ${value} ${help}`;
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll(/['\\]/gu, String.raw`\$&`)}'`;
}
