import type { CommandDescription, OptionDescription } from "./description.ts";
import { HELP_OPTION } from "./description.ts";

const WIDTH = 118;
/** More choices than this stand on lines of their own. */
const MOST_IN_LINE = 4;

/** How a command is called, in one line. */
export function usageOf({ name, options, operands }: CommandDescription): string {
  const start = `usage: fullstop ${name}`;
  const end = operands === undefined ? "" : ` ${operands.usage}`;
  const each = Object.entries(options).map(([key, option]) => ` [${signatureOf(key, option)}]${isList(option)}`);
  const whole = `${start}${each.join("")}${end}\n`;
  return whole.length <= WIDTH ? whole : `${start} [OPTION…]${end} (see fullstop ${name} --help)\n`;
}

/** All about a command. */
export function helpOf(description: CommandDescription): string {
  const { introduction, options, notes, examples, exitCodes } = description;
  const rows = [...Object.entries(options), ["help", HELP_OPTION] as const].map(
    ([key, option]) => [signatureOf(key, option), helpLines(option)] as const,
  );
  const codes = exitCodes.map(([code, meaning]) => [String(code), [meaning]] as const);
  const parts = [
    usageOf(description),
    `${wrap(introduction, WIDTH).join("\n")}\n`,
    renderRows(rows),
    ...(notes === undefined ? [] : [`${wrap(notes, WIDTH).join("\n")}\n`]),
    `${examples.length === 1 ? "example" : "examples"}:\n${examples.map((line) => `  ${line}\n`).join("")}`,
    `exit codes:\n${renderRows(codes)}`,
  ];
  return parts.join("\n");
}

function signatureOf(key: string, option: OptionDescription): string {
  return option.type === "flag" ? `--${key}` : `--${key} ${option.value}`;
}

function isList({ type }: OptionDescription): string {
  return type === "values" ? "…" : "";
}

/** What there is to say about an option, choices included: a text to be wrapped, and lines that stand for themselves. */
function helpLines(option: OptionDescription): readonly string[] {
  const choices = option.type === "flag" ? undefined : option.choices;
  if (choices === undefined) return [option.help];
  if (choices.length <= MOST_IN_LINE) return [`${option.help}: ${choices.join(", ")}`];
  return [`${option.help}:`, ...choices.map((choice) => `    ${choice}`)];
}

function renderRows(rows: readonly (readonly [label: string, lines: readonly string[]])[]): string {
  const column = Math.max(...rows.map(([label]) => label.length)) + 4;
  return rows
    .flatMap(([label, texts]) => {
      const lines = texts.flatMap((text) => (text.startsWith(" ") ? [text] : wrap(text, WIDTH - column)));
      return lines.map((line, index) => `${(index === 0 ? `  ${label}` : "").padEnd(column)}${line}\n`);
    })
    .join("");
}

/** Breaks a text between words into lines of at most so many characters; its own line breaks stay. */
function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
    return lines;
  });
}
