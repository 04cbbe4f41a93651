// @ts-check

/** The lengths of a document, in characters: from a short answer to a long one. */
export const SHORTEST_DOCUMENT = 2000;
export const LONGEST_DOCUMENT = 20_000;

/**
 * @typedef {object} Document
 * @property {number} offset Where it begins in its file, in characters.
 * @property {string} text
 */

/**
 * Cuts a text into documents one after another, of random lengths, with nothing left over.
 *
 * @param {string} text At least as long as the shortest document.
 * @param {() => number} random
 * @returns {Document[]}
 */
export function cutIntoDocuments(text, random) {
  /** @type {Document[]} */
  const documents = [];
  for (let offset = 0; offset < text.length;) {
    const length = nextLength(text.length - offset, random);
    documents.push({ offset, text: text.slice(offset, offset + length) });
    offset += length;
  }
  return documents;
}

/**
 * @param {number} rest
 * @param {() => number} random
 * @returns {number}
 */
function nextLength(rest, random) {
  const length = SHORTEST_DOCUMENT + Math.floor(random() * (LONGEST_DOCUMENT - SHORTEST_DOCUMENT + 1));
  if (rest - length >= SHORTEST_DOCUMENT) return length;
  // What would be left is too short to stand alone: it goes along, or two documents share the rest.
  return rest <= LONGEST_DOCUMENT ? rest : Math.ceil(rest / 2);
}

/**
 * The beginning of a document, for text to go on after. The cut may have halved characters; they are replaced.
 *
 * @param {Document} document
 * @returns {string}
 */
export function leadInOf({ text }) {
  return text.slice(0, 2 * SHORTEST_DOCUMENT).toWellFormed();
}
