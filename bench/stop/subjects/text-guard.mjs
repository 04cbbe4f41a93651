// @ts-check
import { createTextGuard, defineStopRules } from "fullstop";
import { StoppedEarly } from "../subject.mjs";

/**
 * Our own guard, with rules compiled once and a fresh guard for each pass.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const textGuard = ({ rules = {}, passIds = false }, { texts, ids }) => {
  const compiled = defineStopRules(rules);
  const withIds = () => {
    const guard = createTextGuard(compiled);
    let shown = 0;
    for (let index = 0; index < texts.length && guard.signal === undefined; index++) {
      shown += guard.push(texts[index] ?? "", ids[index]).length;
    }
    return finish(guard, shown);
  };
  const withoutIds = () => {
    const guard = createTextGuard(compiled);
    let shown = 0;
    for (let index = 0; index < texts.length && guard.signal === undefined; index++) {
      shown += guard.push(texts[index] ?? "").length;
    }
    return finish(guard, shown);
  };
  return passIds ? withIds : withoutIds;
};

/**
 * @param {import("fullstop").TextGuard} guard
 * @param {number} shown
 * @returns {import("../subject.mjs").PassResult}
 */
function finish(guard, shown) {
  if (guard.signal !== undefined) throw new StoppedEarly(guard.signal.message ?? guard.signal.reason);
  return { shown: shown + guard.end().length, unit: "characters" };
}
