// @ts-check
import { run } from "fullstop";
import { ANSWER_FORMATS } from "fullstop/wire";
import { toBody } from "../chunks.mjs";

/**
 * The whole way through fullstop: the body of an answer to `fetch`, `run`, `for await`.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const fullstopClient = ({ chunks, format }) => {
  const stage = ANSWER_FORMATS[format].decodeStream();
  return async () => {
    let characters = 0;
    for await (const event of run(toBody(chunks), stage)) {
      if (event.type === "text" || event.type === "reasoning") characters += event.text.length;
    }
    return { characters };
  };
};

/**
 * Taking the chunks out of the body and nothing else: what every client pays before it has begun.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const bodyOnly =
  ({ chunks }) =>
  async () => {
    let bytes = 0;
    for await (const chunk of toBody(chunks)) bytes += chunk.length;
    return { bytes };
  };
