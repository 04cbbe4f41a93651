// @ts-check
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, start } from "./processes.mjs";
import { promisesOf } from "./readme.mjs";

/** The address that the README prints, which is where the gateway listens unless it is told otherwise. */
const ADDRESS = "http://127.0.0.1:8787";
const SECONDS = 120;

/**
 * @typedef {{
 *   readonly copy: string,
 *   readonly env: NodeJS.ProcessEnv,
 *   readonly url: string,
 *   readonly transcript: ReturnType<typeof import("./transcript.mjs").openTranscript>,
 * }} Visit
 */

/**
 * Runs every example of the README but its two commands, in order, as it is printed.
 *
 * @param {readonly import("./readme.mjs").Example[]} examples
 * @param {Visit} visit
 */
export async function runExamples(examples, visit) {
  for (const example of examples) {
    if (example.code.startsWith("npm ci")) continue;
    const begun = performance.now();
    const printed = { ...example, code: example.code.replaceAll(ADDRESS, visit.url) };
    const outcome = await runExample(printed, visit).catch((error) => ({ output: "", problem: String(error) }));
    const seconds = (performance.now() - begun) / 1000;
    const title = `${example.heading} (line ${example.line} of the README)`;
    visit.transcript.add({ title, command: example.code, seconds, ...outcome });
  }
}

/**
 * @param {import("./readme.mjs").Example} example
 * @param {Visit} visit
 * @returns {Promise<{ readonly output: string, readonly problem?: string | undefined }>}
 */
async function runExample(example, visit) {
  if (example.language === "ts") return runProgram(example, visit);
  if (example.language !== "sh") return { output: "", problem: `Nobody knows how to run ${example.language}.` };
  if (example.code.includes("TELEGRAM_BOT_TOKEN=")) return runBot(example, visit);
  const { code, output } = await run(example.code, { cwd: visit.copy, env: visit.env, seconds: SECONDS });
  return { output, ...(code !== 0 && { problem: `It ended with ${String(code)}.` }) };
}

/**
 * A program in TypeScript has to print what it says. It is put into the copy, whose packages it names.
 *
 * @param {import("./readme.mjs").Example} example
 * @param {Visit} visit
 */
async function runProgram(example, { copy, env }) {
  const { transform } = await import("esbuild");
  const file = join(copy, "newcomer.mjs");
  writeFileSync(file, (await transform(example.code, { loader: "ts" })).code);
  const { code, output, standardOutput } = await run("node newcomer.mjs", { cwd: copy, env, seconds: SECONDS });
  rmSync(file);
  const lines = standardOutput.split("\n").map((line) => line.trimEnd());
  const promised = promisesOf(example);
  const isKept = JSON.stringify(lines.slice(0, -1)) === JSON.stringify(promised);
  if (code === 0 && isKept) return { output };
  return {
    output,
    problem: code === 0 ? `It says it prints ${promised.join(" / ")}.` : `It ended with ${String(code)}.`,
  };
}

/**
 * The bot needs a token of somebody's own. Here it talks with the Bot API server of the tests, as somebody who asks it
 * something; all else is as printed.
 *
 * @param {import("./readme.mjs").Example} example
 * @param {Visit} visit
 */
async function runBot(example, { copy, env }) {
  const { startBotApi } = await import("../../packages/telegram/test/support/bot-api/index.ts");
  const [, token = ""] = /TELEGRAM_BOT_TOKEN=(\S+)/u.exec(example.code) ?? [];
  const api = await startBotApi({ token });
  const bot = start(example.code, { cwd: copy, env: { ...env, TELEGRAM_API_ROOT: api.url } });
  try {
    await bot.until(/fullstop is @\w+ in Telegram/u, SECONDS);
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    api.say(chat, ann, "What number comes before 395?");
    await api.until(() => chat.lastFromBot?.text.includes("394"), "the bot has answered", SECONDS * 1000);
    return { output: `${bot.output()}Ann: What number comes before 395?\nBot: ${chat.lastFromBot?.text ?? ""}\n` };
  } catch (error) {
    return { output: bot.output(), problem: String(error) };
  } finally {
    await bot.end();
    await api.close();
  }
}
