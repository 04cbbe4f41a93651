import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Installs projects of this repository that have a lock of their own, because what they need asks for a newer Node
 * than fullstop does, or is of no use to whoever only starts the gateway. One that is installed as its lock says is
 * left alone.
 *
 * @param {readonly string[]} folders from the root of the repository
 */
export function installProjects(folders) {
  const root = resolve(import.meta.dirname, "..");
  for (const folder of folders) {
    const project = join(root, folder);
    if (isInstalled(project)) {
      continue;
    }
    process.stderr.write(`Installing what ${folder} needs\n`);
    // Warnings about the version of Node are known: those parts run on a newer one, which is installed with them.
    const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: project,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (status !== 0) {
      throw new Error(`npm ci in ${folder} ended with ${String(status)}; what it said is above.`);
    }
  }
}

/**
 * npm writes the lock it has installed last, so an older one than the project's means that there is work to do.
 *
 * @param {string} project
 * @returns {boolean}
 */
function isInstalled(project) {
  const installed = join(project, "node_modules/.package-lock.json");
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(project, "package-lock.json")).mtimeMs;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  installProjects(process.argv.slice(2));
}
