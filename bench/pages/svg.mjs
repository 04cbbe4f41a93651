// @ts-check

/**
 * What is drawn is put together as text: it is little, and has to be the same whoever draws it. Colours are such that
 * they can be told apart on white and on black; the rest follows the reader's scheme.
 */

export const WIDTH = 760;

/** Of the lines, in turn. The first is ours. */
const COLOURS = ["#d9480f", "#2f7ed8", "#2b9348", "#9c4dcc", "#b08900", "#0f9a9a", "#7a7a7a"];

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .quiet { fill: #57606a; }
  .own { font-weight: 600; }
  .grid { stroke: #d0d7de; }
  .spread { stroke: #24292f; stroke-opacity: 0.45; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #9da7b3; }
    .grid { stroke: #3d444d; }
    .spread { stroke: #ffffff; stroke-opacity: 0.6; }
  }
`;

/**
 * The colour of a line or a bar.
 *
 * @param {number} index
 * @returns {string}
 */
export function colourOf(index) {
  return COLOURS[index % COLOURS.length] ?? "";
}

/**
 * A whole drawing.
 *
 * @param {string} title
 * @param {number} height
 * @param {readonly string[]} parts
 * @returns {string}
 */
export function drawing(title, height, parts) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<style>${STYLE}</style>`,
    text(title, 12, 24, { class: "title" }),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/**
 * @param {string} content
 * @param {number} x
 * @param {number} y
 * @param {Readonly<Record<string, string>>} [attributes]
 * @returns {string}
 */
export function text(content, x, y, attributes = {}) {
  return `<text x="${round(x)}" y="${round(y)}"${write(attributes)}>${escapeText(content)}</text>`;
}

/**
 * An element that holds nothing.
 *
 * @param {string} name
 * @param {Readonly<Record<string, string | number>>} attributes
 * @returns {string}
 */
export function element(name, attributes) {
  return `<${name}${write(attributes)}/>`;
}

/**
 * @param {Readonly<Record<string, string | number>>} attributes
 * @returns {string}
 */
function write(attributes) {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? round(value) : escapeText(value)}"`)
    .join("");
}

/**
 * A tenth of a pixel is enough.
 *
 * @param {number} value
 * @returns {number}
 */
function round(value) {
  return Math.round(value * 10) / 10;
}

/**
 * @param {string} content
 * @returns {string}
 */
function escapeText(content) {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
