// @ts-check
import { LEGEND } from "../report.mjs";
import { countWrongAnswers } from "./answers.mjs";
import { countBatches } from "./batches.mjs";
import { SECTIONS } from "./catalogue.mjs";
import { measureMemory } from "./memory.mjs";
import { formatOthers, summarizeSpeed } from "./report.mjs";
import { measureResponsiveness } from "./responsiveness.mjs";
import { measureSpeed } from "./speed.mjs";
import { measureStops } from "./stops.mjs";
import { judgeLocalEngine } from "./verdicts.mjs";

/**
 * The benchmark of the local engine: beside the bare loop of node-llama-cpp that it is built on, alone and with all
 * its places in use, and how soon it lets go when it is stopped.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runLlamaBenchmark(surroundings) {
  const { sampling, showProgress } = surroundings;
  console.log("Pip, one thread, a context of 4,096 tokens for each of 8 places, always the likeliest token.");
  console.log(`${LEGEND}\n`);
  const speed = await measureSpeed(surroundings);
  const measurements = new Map(Object.entries(speed).map(([id, { nanoseconds }]) => [id, { samples: nanoseconds }]));
  showProgress("answers");
  const answers = await countWrongAnswers(sampling);
  showProgress("batches");
  const batches = await countBatches();
  showProgress("stops");
  const stops = await measureStops(sampling);
  showProgress("memory");
  const memory = await measureMemory(sampling);
  showProgress("responsiveness");
  const responsiveness = await measureResponsiveness();

  const others = { answers, batches, stops, memory, responsiveness };
  const costs = summarizeSpeed(speed);
  return {
    sections: SECTIONS,
    measurements,
    verdicts: judgeLocalEngine(measurements, others),
    remarks: formatOthers(others, costs),
    others: { speed: costs, ...others },
  };
}
