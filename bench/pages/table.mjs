// @ts-check

/**
 * A table in Markdown. The formatter of the repository makes it even.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @returns {string}
 */
export function writeTable(head, rows) {
  return [head, head.map(() => "---"), ...rows].map(writeRow).join("\n");
}

/**
 * @param {readonly string[]} cells
 * @returns {string}
 */
function writeRow(cells) {
  // A bar in a cell would end it; a tag would be one.
  const written = cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;"));
  return `| ${written.join(" | ")} |`;
}
