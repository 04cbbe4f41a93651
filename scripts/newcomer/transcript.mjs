// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * One thing that was done.
 *
 * @typedef {{
 *   readonly title: string,
 *   readonly command: string,
 *   readonly seconds: number,
 *   readonly output: string,
 *   readonly problem?: string | undefined,
 * }} Step
 */

/**
 * Keeps what was done, in a folder: `transcript.md` for people, `steps.json` for programs. Both are written after every
 * step, so that they are there whatever happens.
 *
 * @param {string} folder
 * @param {string} introduction
 */
export function openTranscript(folder, introduction) {
  mkdirSync(folder, { recursive: true });
  /** @type {Step[]} */
  const steps = [];
  return {
    steps,
    /** @param {Step} step */
    add(step) {
      steps.push(step);
      const { title, seconds, problem } = step;
      console.log(`${problem === undefined ? "ok    " : "FAILED"} ${seconds.toFixed(1).padStart(7)} s  ${title}`);
      if (problem !== undefined) console.log(`       ${problem}`);
      writeFileSync(join(folder, "steps.json"), `${JSON.stringify(steps, undefined, 2)}\n`);
      writeFileSync(join(folder, "transcript.md"), `${introduction}\n${steps.map(describe).join("\n")}`);
    },
  };
}

/** @param {Step} step */
function describe({ title, command, seconds, output, problem }) {
  const fence = "`".repeat(4);
  const ending = problem === undefined ? "" : `\n**Failed**: ${problem}\n`;
  return [
    `## ${title}`,
    "",
    `${seconds.toFixed(1)} s`,
    "",
    `${fence}\n${command.trimEnd()}\n${fence}`,
    "",
    `${fence}\n${output.trimEnd()}\n${fence}`,
    ending,
  ].join("\n");
}
