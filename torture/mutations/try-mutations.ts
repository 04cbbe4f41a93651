import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { torture } from "../torture.ts";
import { MUTATIONS } from "./mutations.ts";
import type { Mutation } from "./mutations.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * What is tried: one seed for all, so that only the mistake makes the difference. Most are seen within a hundred
 * generations, after which nothing more is tried; a delay shows only where a provider falls silent amid its text.
 */
const TRIAL = { seed: 7, first: 0, count: 5000, atOnce: 16, isHasty: true } as const;

/** The packages that a gateway needs, by what they are called. */
const PACKAGES = { fullstop: "fullstop", gateway: "@fullstop/gateway", telegram: "@fullstop/telegram" } as const;

/** Makes each mistake in a copy of the built code, and says which check has seen it. Gives how many were not seen. */
export async function tryMutations(
  say: (line: string) => void,
  mutations: readonly Mutation[] = MUTATIONS,
): Promise<number> {
  let survivors = 0;
  for (const mutation of mutations) {
    const folder = mkdtempSync(path.join(tmpdir(), "fullstop-mutation-"));
    try {
      const program = [copyBuilt(folder), "serve"];
      mutate(folder, mutation);
      const { violations, generations } = await torture({ ...TRIAL, program });
      const checks = [...new Set(violations.map(({ check }) => check))];
      const [first] = violations;
      if (first === undefined) survivors += 1;
      say(
        first === undefined
          ? `SURVIVED ${mutation.name} (${generations} generations)`
          : `caught   ${mutation.name}: by ${checks.join(", ")}, within ${generations} generations\n         ${first.problem.slice(0, 200)}`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return survivors;
}

/** Copies what is built to another place, with the dependencies where they are, and gives the program. */
function copyBuilt(folder: string): string {
  const modules = path.join(folder, "node_modules");
  mkdirSync(path.join(modules, "@fullstop"), { recursive: true });
  for (const name of readdirSync(path.join(ROOT, "node_modules"))) {
    if (name !== "fullstop" && name !== "@fullstop")
      symlinkSync(path.join(ROOT, "node_modules", name), path.join(modules, name));
  }
  symlinkSync(path.join(ROOT, "models/pip"), path.join(modules, "@fullstop/pip"));
  for (const [directory, name] of Object.entries(PACKAGES)) {
    const from = path.join(ROOT, "packages", directory);
    const to = path.join(folder, "packages", directory);
    for (const part of ["package.json", "dist", "bin", "node_modules"]) {
      if (readdirSync(from).includes(part)) cpSync(path.join(from, part), path.join(to, part), { recursive: true });
    }
    symlinkSync(to, path.join(modules, name));
  }
  return path.join(folder, "packages/gateway/bin/fullstop.js");
}

function mutate(folder: string, { name, file, text, instead }: Mutation): void {
  const where = path.join(folder, "packages", file);
  const built = readFileSync(where, "utf8");
  if (built.split(text).length !== 2) {
    throw new Error(
      `"${name}" cannot be made: ${file} has ${built.split(text).length - 1} times ${JSON.stringify(text)}, not once. Has the code changed? Then change torture/mutations/mutations.ts`,
    );
  }
  writeFileSync(
    where,
    built.replace(text, () => instead),
  );
}
