import { execFileSync } from "node:child_process";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");

/**
 * A file as the formatter of the repository leaves it.
 *
 * @param {string} file its path from the root of the repository
 * @param {string} text
 * @returns {string}
 */
export function format(file, text) {
  const formatter = path.join(ROOT, "node_modules/oxfmt/bin/oxfmt");
  return execFileSync(process.execPath, [formatter, `--stdin-filepath=${file}`], {
    cwd: ROOT,
    input: text,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
  });
}
