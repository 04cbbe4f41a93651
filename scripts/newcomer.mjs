// @ts-check
/**
 * `npm run newcomer`: does what the README says, as somebody who has just come, and keeps what it printed.
 *
 * A copy of the repository as it is committed goes into an empty folder, with a home folder of its own and none of the
 * variables of this shell; only npm's cache of downloads is shared, unless `--no-cache` is given. There the two commands
 * of the README are run as they are printed, and its examples, taken out of the README itself, while the gateway of the
 * first command runs. Ends with 1 if anything did not do what the page says.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runExamples } from "./newcomer/examples.mjs";
import { run, start } from "./newcomer/processes.mjs";
import { commandOf, examplesOf } from "./newcomer/readme.mjs";
import { openTranscript } from "./newcomer/transcript.mjs";
import { readOptions } from "./read-options.mjs";

const root = resolve(import.meta.dirname, "..");
const HELP = `npm run newcomer                          all that the README says, on a fresh copy
npm run newcomer -- --skip-tests          not the second command, which takes many minutes
npm run newcomer -- --to .scratch/first   where the transcript goes; default: .scratch/newcomer/<time>
npm run newcomer -- --any-port            where 8787 is taken; the examples are changed accordingly
npm run newcomer -- --no-cache            without npm's cache of downloads`;
const { values } = readOptions(
  {
    options: {
      "skip-tests": { type: "boolean", default: false },
      "any-port": { type: "boolean", default: false },
      "no-cache": { type: "boolean", default: false },
      to: { type: "string" },
    },
  },
  HELP,
);
const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
const folder = resolve(root, values.to ?? join(".scratch/newcomer", time));
const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
const transcript = openTranscript(folder, `# A newcomer\n\nCommit ${commit}, Node ${process.version}, ${time}\n`);

const place = mkdtempSync(join(tmpdir(), "fullstop-newcomer-"));
const home = join(place, "home");
const copy = join(place, "fullstop");
mkdirSync(home);
const env = cleanEnvironment();
try {
  await step("A copy of the repository", `git clone --quiet ${root} fullstop`, { cwd: place, seconds: 300 });
  if (transcript.steps.every(({ problem }) => problem === undefined)) await visit();
} finally {
  rmSync(place, { recursive: true, force: true });
}
const failures = transcript.steps.filter(({ problem }) => problem !== undefined).length;
console.log(`${transcript.steps.length} steps, ${failures} failed: ${join(folder, "transcript.md")}`);
process.exitCode = failures === 0 ? 0 : 1;

/** Everything that the README says, in its order. */
async function visit() {
  const examples = examplesOf(readFileSync(join(copy, "README.md"), "utf8"));
  const command = commandOf(examples, "npm ci && npm start");
  const begun = performance.now();
  const port = values["any-port"] ? { PORT: "0" } : {};
  const gateway = start(command, { cwd: copy, env: { ...env, ...port } });
  try {
    const [, url = ""] = await gateway.until(/fullstop is listening on (http:\/\/\S+)/u, 1200);
    const problem = await lookAround(url);
    transcript.add({ title: "The first command", command, seconds: since(begun), output: gateway.output(), problem });
    await runExamples(examples, { copy, env, url, transcript });
  } catch (error) {
    const problem = String(error);
    transcript.add({ title: "The first command", command, seconds: since(begun), output: gateway.output(), problem });
  } finally {
    await endGateway(gateway);
  }
  if (!values["skip-tests"]) {
    await step("The second command", commandOf(examples, "npm ci && npm test"), { cwd: copy, seconds: 3600 });
  }
}

/**
 * What a newcomer sees at the address that was printed; a sentence if that is not right.
 *
 * @param {string} url
 */
async function lookAround(url) {
  const page = await fetch(`${url}/`);
  if (!(await page.text()).includes("<title>")) return `The address has no page, but ${page.status}.`;
  const models = /** @type {{ data: { id: string }[] }} */ (await (await fetch(`${url}/v1/models`)).json());
  return models.data.some(({ id }) => id === "pip") ? undefined : "The gateway does not know Pip.";
}

/** @param {import("./newcomer/processes.mjs").Command} gateway */
async function endGateway(gateway) {
  const begun = performance.now();
  const before = gateway.output().length;
  const timer = setTimeout(() => void gateway.end("SIGKILL"), 30_000);
  const code = await gateway.end("SIGINT");
  clearTimeout(timer);
  const output = `${gateway.output().slice(before)}It ended with ${String(code)}.`;
  const problem = code === "SIGKILL" ? "It had to be killed after 30 s." : undefined;
  transcript.add({ title: "The end of the first command", command: "Ctrl+C", seconds: since(begun), output, problem });
}

/**
 * Runs a command that is to end well.
 *
 * @param {string} title
 * @param {string} command
 * @param {{ readonly cwd: string, readonly seconds: number }} surroundings
 */
async function step(title, command, { cwd, seconds }) {
  const begun = performance.now();
  const { code, output } = await run(command, { cwd, env, seconds });
  const problem = code === 0 ? undefined : `It ended with ${String(code)}.`;
  transcript.add({ title, command, seconds: since(begun), output, problem });
}

/** Nothing of the caller's but the way to programs, to packages and to their certificates. */
function cleanEnvironment() {
  const { PATH, NODE_EXTRA_CA_CERTS } = process.env;
  return {
    PATH,
    HOME: home,
    LANG: "C.UTF-8",
    npm_config_registry: npmSetting("registry"),
    npm_config_update_notifier: "false",
    ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
    ...(!values["no-cache"] && { npm_config_cache: npmSetting("cache") }),
  };
}

/** @param {string} name */
function npmSetting(name) {
  return execFileSync("npm", ["config", "get", name], { encoding: "utf8" }).trim();
}

/** @param {number} begun */
function since(begun) {
  return (performance.now() - begun) / 1000;
}
