// @ts-check
import { createDetector, createDetectorRegistry } from "fullstop/detect";

/**
 * A detector that goes by the shape of the answer.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const detector = ({ bodies }) => {
  const one = createDetector();
  return repeat(bodies, ({ value }) => one.detectTermination(value, false).reason);
};

/**
 * A registry that is told the provider.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const registry = ({ bodies }) => {
  const all = createDetectorRegistry();
  return repeat(bodies, ({ value, provider }) => all.detectTermination(provider, value, false).reason);
};

/**
 * @param {readonly import("../bodies.mjs").Body[]} bodies
 * @param {(body: import("../bodies.mjs").Body) => string} detect
 * @returns {import("../subject.mjs").Pass}
 */
function repeat(bodies, detect) {
  return () => {
    let seen = 0;
    for (const body of bodies) {
      if (detect(body) !== "") seen += 1;
    }
    return { bodies: seen };
  };
}
