import { optionsOf, quoteForShell } from "./described-command.ts";
import type { DescribedCommand, WriteScript } from "./described-command.ts";

const FILES = `_fullstop_files; return`;

/** The script for bash 3.2 and newer, which is what macOS has. */
export const writeBashScript: WriteScript = (
  commands,
) => `# Completion of fullstop for bash: source <(fullstop completion bash)
_fullstop_words() {
  COMPREPLY=($(compgen -W "$1" -- "\${COMP_WORDS[COMP_CWORD]}"))
}

_fullstop_files() {
  local IFS=$'\\n'
  compopt -o filenames 2> /dev/null
  COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}

_fullstop() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _fullstop_words ${quoteForShell([...commands.map(({ name }) => name), "--help", "--version"].join(" "))}
    return
  fi
  case "$command \${COMP_WORDS[COMP_CWORD - 1]}" in
${commands.flatMap(writeValues).join("")}  esac
  case "$command" in
${commands.map(writeCommand).join("")}  esac
}

complete -F _fullstop fullstop
`;

/** What follows an option that has a value. */
function writeValues(command: DescribedCommand): readonly string[] {
  return optionsOf(command).flatMap(([name, option]) => {
    if (option.type === "flag") return [];
    const words = option.choices === undefined ? undefined : quoteForShell(option.choices.join(" "));
    const action = words !== undefined ? `_fullstop_words ${words}; return` : option.isFile === true ? FILES : "return";
    return [`    ${quoteForShell(`${command.name} --${name}`)}) ${action} ;;\n`];
  });
}

function writeCommand(command: DescribedCommand): string {
  const options = optionsOf(command).map(([name]) => `--${name}`);
  const suggests = command.operands?.suggests ?? [];
  const lines = [
    `case "$current" in -*) _fullstop_words ${quoteForShell(options.join(" "))}; return ;; esac`,
    ...(suggests === "files" ? [FILES] : []),
    ...(suggests !== "files" && suggests.length > 0
      ? [`if [ "$COMP_CWORD" -eq 2 ]; then _fullstop_words ${quoteForShell(suggests.join(" "))}; fi`]
      : []),
  ];
  return `    ${command.name})\n${lines.map((line) => `      ${line}\n`).join("")}      ;;\n`;
}
