// @ts-check
import { PLACES } from "./model.mjs";

/** @typedef {import("../report.mjs").Row & {readonly task: import("./speed.mjs").Task}} Entry */

const PER = "1,000 tokens";
const TOGETHER = `${PLACES} generations together`;

/** @type {readonly import("../report.mjs").Section<Entry>[]} */
export const SECTIONS = [
  {
    title: "One generation",
    note: "a whole answer of 250 tokens, from the request to the last event",
    entries: [
      { id: "one/bare", label: "bare loop over evaluate()", per: PER, task: { together: 1, with: "bare loop" } },
      { id: "one/no-rule", label: "engine", per: PER, beside: "one/bare", task: { together: 1, with: "no rule" } },
      {
        id: "one/every-rule",
        label: "engine, every rule on",
        per: PER,
        beside: "one/bare",
        task: { together: 1, with: "every rule" },
      },
    ],
  },
  {
    title: TOGETHER,
    note: "beside one generation of the same kind",
    entries: [
      { id: "eight/bare", label: "bare loops", per: PER, beside: "one/bare", task: { together: 8, with: "bare loop" } },
      {
        id: "eight/every-rule",
        label: "engine, every rule on",
        per: PER,
        beside: "one/every-rule",
        task: { together: 8, with: "every rule" },
      },
    ],
  },
];
