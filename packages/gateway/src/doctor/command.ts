import { choosePaint } from "../colours.ts";
import type { Paint } from "../colours.ts";
import { defineCommand } from "../command-line/run-command.ts";
import { buildRouter } from "../config/build-router.ts";
import { checkNames } from "../config/check-names.ts";
import { parseConfig } from "../config/config.ts";
import type { GatewayConfig } from "../config/config.ts";
import { findConfig, readConfig } from "../config/read-config.ts";
import { createUpstream } from "../upstream/upstream.ts";
import { toPrintable } from "../printable.ts";
import { DEFAULT_PORT, readPort } from "../serve/options.ts";
import { writeText } from "../terminal.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import { absent, check, well, wrong } from "./check.ts";
import type { Check, Finding } from "./check.ts";
import { checkKeys } from "./check-keys.ts";
import { checkNode, checkPip, checkPort, checkStore } from "./check-machine.ts";
import { DOCTOR, readDoctorOptions } from "./options.ts";
import type { DoctorOptions } from "./options.ts";

/** Runs `fullstop doctor`: looks whether everything is there. */
export const runDoctor: RunCommand = defineCommand({ description: DOCTOR, read: readDoctorOptions, run: examine });

async function examine(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const { stdout, env } = terminal;
  const paint = choosePaint(terminal);
  const checks: Check[] = [];
  // As they come: loading a model takes a moment, and so may a provider.
  for await (const found of examineAll(options, env)) {
    checks.push(found);
    if (!options.json) await writeText(stdout, lineOf(found, paint));
  }
  const isWell = checks.every(({ status }) => status !== "wrong");
  if (options.json) await writeText(stdout, `${JSON.stringify({ isWell, checks })}\n`);
  return isWell ? 0 : 1;
}

async function* examineAll(options: DoctorOptions, env: Terminal["env"]): AsyncGenerator<Check, void, undefined> {
  yield check("node", "", () => checkNode(process.versions.node));
  let config: GatewayConfig = parseConfig({});
  let isUsable = false;
  yield check("configuration", "correct it; docs/gateway.md says what it may hold", async () => {
    const read = await readConfig(options.config);
    await tryRouter(read, env);
    config = read;
    isUsable = true;
    const file = options.config ?? (await findConfig());
    return file === undefined ? absent("there is no file, so the defaults count") : well(file);
  });
  // By itself where the rest cannot be used: that is told already, and no fault of the model's.
  yield check("pip", "reinstall @fullstop/gateway", () => (isUsable ? checkPip(config, env) : checkPip(config, {})));
  yield* await checkKeys(config, env, options.online);
  yield check("store", "set FULLSTOP_STORE to memory, another file or the address of a Redis", () =>
    checkStore(config, env),
  );
  yield check("port", "set PORT to a number from 0 to 65535", () =>
    checkPort(readPort("PORT", env["PORT"] ?? String(config.port ?? DEFAULT_PORT))),
  );
  yield check("telegram", "", () => checkToken(env["TELEGRAM_BOT_TOKEN"]));
}

/** Opens and closes everything that the configuration names, which loads nothing. */
async function tryRouter(config: GatewayConfig, env: Terminal["env"]): Promise<void> {
  const upstream = createUpstream();
  try {
    const { router } = buildRouter(config, env, upstream.fetch);
    await checkNames(config, router);
  } finally {
    upstream.close();
  }
}

function checkToken(token: string | undefined): Finding {
  if (token === undefined || token === "") return absent("TELEGRAM_BOT_TOKEN is not set, and only the bot needs it");
  if (/^\d+:[\w-]+$/u.test(token)) return well(`TELEGRAM_BOT_TOKEN is set, for bot ${Number.parseInt(token, 10)}`);
  return wrong("TELEGRAM_BOT_TOKEN is no token, such as 123456:ABC-DEF", "ask @BotFather in Telegram for it");
}

function lineOf(found: Check, paint: Paint): string {
  const { name, status, finding } = found;
  const mark = status === "well" ? paint("green", "✔") : status === "wrong" ? paint("red", "✖") : "–";
  const advice = found.status === "wrong" && found.advice !== "" ? ` → ${found.advice}` : "";
  return `${mark} ${name}: ${toPrintable(finding)}${advice}\n`;
}
