// @ts-check
import { defineStopRules } from "fullstop";

/**
 * Compiling stop strings: the price paid once, before anything is generated.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const compile =
  ({ rules = {} }) =>
  () => {
    defineStopRules(rules);
    return { shown: 0, unit: "nothing" };
  };
