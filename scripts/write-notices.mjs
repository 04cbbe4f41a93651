// @ts-check
/**
 * `npm run notices`: writes `packages/gateway/THIRD-PARTY-NOTICES.txt`, the licences of what the published packages
 * contain of others. That is what the page of the gateway is bundled with; what packages depend on is installed beside
 * them and brings its own licence. With `--check` it only says whether the file is as it would be written.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

const root = resolve(import.meta.dirname, "..");
const file = join(root, "packages/gateway/THIRD-PARTY-NOTICES.txt");
const notices = await writeNotices();
if (!process.argv.includes("--check")) writeFileSync(file, notices);
else if (readFileSync(file, "utf8") !== notices) {
  console.error(`${relative(root, file)} is out of date: npm run notices`);
  process.exitCode = 1;
}

async function writeNotices() {
  const sections = (await bundledPackages()).map((folder) => {
    const { name, version, license } = /** @type {Readonly<Record<"name" | "version" | "license", string>>} */ (
      JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    );
    return [`${name} ${version} (${license})`, "", readLicence(folder)].join("\n");
  });
  const line = `\n\n${"-".repeat(80)}\n\n`;
  return `${["The web page of this package contains the following.", ...sections].join(line)}\n`;
}

/** The folders of the packages whose code or styles are in the page, as the bundler says, in the order of their names. */
async function bundledPackages() {
  const { build } = await import("vite");
  const result = await build({
    root: join(root, "packages/console"),
    logLevel: "silent",
    build: { write: false, emptyOutDir: false },
  });
  /** @type {Set<string>} */
  const folders = new Set();
  for (const { output } of [result].flat().filter((each) => "output" in each)) {
    for (const part of output) {
      for (const module of part.type === "chunk" ? Object.keys(part.modules) : []) {
        const folder = packageOf(module);
        if (folder !== undefined) folders.add(folder);
      }
    }
  }
  return [...folders].sort();
}

/**
 * The folder of the package of others to which a module belongs. Our own are linked from elsewhere.
 *
 * @param {string} module
 */
function packageOf(module) {
  const [path = ""] = module.replace(/^\0+/u, "").split("?");
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules");
  if (at < 0) return undefined;
  return parts.slice(0, at + (parts[at + 1]?.startsWith("@") === true ? 3 : 2)).join(sep);
}

/** @param {string} folder */
function readLicence(folder) {
  const name = readdirSync(folder).find((each) => /^licen[cs]e(?:\.\w+)?$/iu.test(each));
  if (name === undefined) throw new Error(`${relative(dirname(root), folder)} has no file with its licence.`);
  return readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim();
}
