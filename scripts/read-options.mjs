// @ts-check
import { parseArgs } from "node:util";

/**
 * Reads what stands behind the name of a script. `--help` is answered with the help; an option that there is not ends
 * the script before it does anything, with the help as well.
 *
 * @template {import("node:util").ParseArgsConfig} Config
 * @param {Config} config
 * @param {string} help
 * @returns {ReturnType<typeof parseArgs<Config>>}
 */
export function readOptions(config, help) {
  if (process.argv.includes("--help")) {
    console.log(help);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    return process.exit(2);
  }
}
