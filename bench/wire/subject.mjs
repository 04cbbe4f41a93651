// @ts-check

/**
 * What is measured: given a stream in chunks, or whole bodies, a subject prepares whatever a program would prepare
 * once, and returns a pass, which starts afresh and takes all of it.
 *
 * @typedef {(input: Input) => Pass | Promise<Pass>} Subject
 *
 * @typedef {object} Input
 * @property {readonly Uint8Array[]} chunks
 * @property {import("./streams.mjs").FormatName} format
 * @property {readonly import("./bodies.mjs").Body[]} bodies
 *
 * @typedef {() => PassResult | Promise<PassResult>} Pass
 */

/**
 * What a pass has seen, as far as it can tell. It is compared with what is there, so that no subject can be fast by
 * leaving something out.
 *
 * @typedef {object} PassResult
 * @property {number} [events] JSON payloads, or events of a stream that carry one.
 * @property {number} [characters] Of text and thinking.
 * @property {number} [bytes]
 * @property {number} [bodies]
 */

/**
 * Throws if a pass has not seen all there is.
 *
 * @param {PassResult} result
 * @param {PassResult} expected
 */
export function checkResult(result, expected) {
  for (const field of /** @type {const} */ (["events", "characters", "bytes", "bodies"])) {
    const count = result[field];
    if (count !== undefined && count !== expected[field]) {
      throw new Error(`saw ${count} of ${expected[field]} ${field}`);
    }
  }
}
