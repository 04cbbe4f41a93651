import type { OptionDescription } from "../command-line/description.ts";
import { optionsOf, quoteForShell } from "./described-command.ts";
import type { DescribedCommand, WriteScript } from "./described-command.ts";

/** The script for zsh, as a function in a folder of its path or sourced. */
export const writeZshScript: WriteScript = (commands) => `#compdef fullstop
# Completion of fullstop for zsh: fullstop completion zsh > "\${fpath[1]}/_fullstop"
_fullstop() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quoteForShell(`${name}:${summary.replaceAll(":", String.raw`\:`)}`)}\n`).join("")}  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    compadd -- --help --version
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(writeCommand).join("")}  esac
}

if [ "$funcstack[1]" = _fullstop ]; then _fullstop "$@"; else compdef _fullstop fullstop; fi
`;

function writeCommand(command: DescribedCommand): string {
  const { name, operands } = command;
  const suggests = operands?.suggests ?? [];
  const specifications = [
    ...optionsOf(command).map(([option, description]) => writeOption(option, description)),
    ...(suggests === "files" ? ["*:file:_files"] : []),
    ...(suggests !== "files" && suggests.length > 0 ? [`1:what:(${suggests.join(" ")})`] : []),
  ];
  const lines = specifications.map((text) => ` \\\n        ${quoteForShell(text)}`);
  return `    ${name})\n      _arguments -S${lines.join("")}\n      ;;\n`;
}

function writeOption(name: string, option: OptionDescription): string {
  const help = option.help.replaceAll(/[[\]:\\]/gu, String.raw`\$&`);
  if (option.type === "flag") return `--${name}[${help}]`;
  const action =
    option.choices !== undefined ? `(${option.choices.join(" ")})` : option.isFile === true ? "_files" : " ";
  return `${option.type === "values" ? "*" : ""}--${name}[${help}]:${option.value}:${action}`;
}
