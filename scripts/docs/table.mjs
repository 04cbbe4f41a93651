/** @param {readonly string[]} cells */
const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;

/**
 * A Markdown table. How wide its columns are is for the formatter to say.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @returns {string}
 */
export function table(head, rows) {
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/**
 * A text as code.
 *
 * @param {string} text
 * @returns {string}
 */
export function code(text) {
  return `\`${text}\``;
}
