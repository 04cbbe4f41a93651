// @ts-check
import { StoppedEarly } from "../subject.mjs";

/**
 * The first thing that comes to mind: put the answer together and look through all of it for each string after every
 * token. It shows nothing too early only because it shows nothing at all.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const wholeText =
  ({ stops = [] }, { texts }) =>
  () => {
    let answer = "";
    for (const text of texts) {
      answer += text;
      for (const stop of stops) if (answer.includes(stop)) throw new StoppedEarly(`found ${stop}`);
    }
    return { shown: answer.length, unit: "characters" };
  };
