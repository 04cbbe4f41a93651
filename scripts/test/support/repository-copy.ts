import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const PACKAGES = ["fullstop", "gateway", "telegram"];

/** A copy of this repository as it is in its folder, with a history of one commit and a remote. */
export interface RepositoryCopy {
  readonly root: string;
  readonly git: (...parameters: readonly string[]) => string;
}

/** Makes a copy in a folder of its own. It is built as this repository is, and says that it builds where it is told to. */
export function copyRepository(): RepositoryCopy {
  const place = mkdtempSync(path.join(tmpdir(), "fullstop-copy-"));
  const root = path.join(place, "repository");
  const remote = path.join(place, "remote.git");
  const files = run(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").split("\n");
  for (const file of files.filter((name) => existsSync(path.join(ROOT, name)))) {
    cpSync(path.join(ROOT, file), path.join(root, file));
  }
  for (const name of PACKAGES) {
    cpSync(path.join(ROOT, "packages", name, "dist"), path.join(root, "packages", name, "dist"), { recursive: true });
  }
  const manifest = path.join(root, "package.json");
  const { scripts, ...others } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly scripts: object };
  writeFileSync(manifest, JSON.stringify({ ...others, scripts: { ...scripts, prepare: "echo it is built" } }));

  const git = (...parameters: readonly string[]): string => run(root, ...parameters);
  run(place, "init", "--quiet", "--bare", remote);
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All of it");
  git("remote", "add", "origin", remote);
  git("push", "--quiet", "origin", "main");
  return { root, git };
}

/** Who commits, wherever this runs. */
export const COMMITTER = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
};

function run(cwd: string, ...parameters: readonly string[]): string {
  const env = { ...process.env, ...COMMITTER };
  return execFileSync("git", parameters, { cwd, env, encoding: "utf8", maxBuffer: 1e8 }).trim();
}
