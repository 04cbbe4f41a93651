import type { TerminationSignal } from "fullstop";
import type { ModelRouter } from "../models/model-router.ts";
import { sourceOfOrder } from "./stop-source.ts";

/** How many different details get series of their own. Our tables have about half as many. */
const MOST_DETAILS = 64;

const NONE = "none";
const OTHER = "other";

/**
 * Labels for metrics. Every combination of labels is a series that is kept for as long as the server runs, and names of
 * models and words for endings come from outside. So only what the configuration names, and so many words, get series
 * of their own.
 */
export interface Labels {
  /** A model by its name if it is listed; otherwise `provider/*`, because callers can make up any name behind it. */
  model(name: string, provider: string): string;
  /** The detail of an ending; `other` for the words of callers and beyond the first {@link MOST_DETAILS}. */
  detail(signal: TerminationSignal): string;
}

/** Makes the labels for the models that a router has. */
export function createLabels(router: ModelRouter): Labels {
  const listed = new Set(router.list().map(({ id }) => id));
  const details = new Set<string>();
  return {
    model: (name, provider) => (listed.has(name) ? name : `${provider}/*`),
    detail({ reason, detail }) {
      if (detail === undefined) return NONE;
      // Whoever stops a generation says why in words of their own.
      if (reason === "cancelled") return sourceOfOrder(detail);
      if (!details.has(detail)) {
        if (details.size >= MOST_DETAILS || !/^[a-z][a-z_]{0,39}$/u.test(detail)) return OTHER;
        details.add(detail);
      }
      return detail;
    },
  };
}
