import { readFile } from "node:fs/promises";
import { isIPv4 } from "node:net";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import { buildHouse } from "../config/build-house.ts";
import type { BuiltHouse } from "../config/build-house.ts";
import { ConfigError, parseConfig } from "../config/config.ts";
import type { GatewayConfig } from "../config/config.ts";
import { createServer } from "../server.ts";
import { writeText } from "../terminal.ts";
import type { Terminal } from "../terminal.ts";
import { receiveSignal } from "./receive-signal.ts";
import { UsageError, readPort, readServeOptions } from "./options.ts";
import type { ServeOptions } from "./options.ts";
import { messageOf } from "../message-of.ts";

const DEFAULT_PORT = 8787;
const LOOPBACK = "127.0.0.1";
/** How many clients may be waiting to be let in at once; with less, some of those who all come at once are turned away. */
const BACKLOG = 4096;
const CONFIG_FILE = "fullstop.config.json";

const USAGE = "usage: fullstop serve [--port N] [--host H] [--config FILE] [--model M]\n";

const HELP = `${USAGE}
Starts the gateway: one server in front of every model, that speaks OpenAI Chat Completions, OpenAI Responses,
Anthropic Messages and Gemini.

  --port N       where to listen; 0 for any free port (default: PORT, or ${DEFAULT_PORT})
  --host H       the address to listen on (default: ${LOOPBACK})
  --config FILE  the configuration (default: ${CONFIG_FILE}, if there is one)
  --model M      a local model to serve beside the others: a GGUF file, or hf:user/model:quant

Providers are there as soon as their key is in the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY,
XAI_API_KEY, OPENROUTER_API_KEY, MISTRAL_API_KEY, DEEPSEEK_API_KEY, GROQ_API_KEY; Ollama by OLLAMA_HOST.
`;

/** Runs `fullstop serve` until the process is told to end. */
export async function runServe(parameters: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const options = readServeOptions(parameters);
    if (options === "help") {
      await writeText(terminal.stdout, HELP);
      return 0;
    }
    return await serve(options, terminal);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    await writeText(terminal.stderr, `fullstop serve: ${error.message}\n${USAGE}`);
    return 2;
  }
}

async function serve(options: ServeOptions, { stdout, env }: Terminal): Promise<number> {
  const config = withModel(await readConfig(options.config), options.model);
  const house = buildHouse(config, env);
  const host = options.host ?? config.host ?? LOOPBACK;
  if (!house.gatekeeper.asksForKeys && !isLoopback(host)) {
    throw new ConfigError(`without keys the gateway listens on this machine only; configure keys to listen on ${host}`);
  }
  const port = options.port ?? portOf(env) ?? config.port ?? DEFAULT_PORT;
  const app = createServer(house);
  const address = await app.listen({ host, port, backlog: BACKLOG });
  await writeText(stdout, bannerOf(address, house));
  await receiveSignal(() => void house.registry.stopAll("shutdown"));
  await end(app, house, config.shutdownMilliseconds);
  return 0;
}

function bannerOf(address: string, { router, gatekeeper }: BuiltHouse): string {
  const named = router.list().map(({ id, provider }) => `  ${id} (${provider})`);
  const models = [...named, ...router.providers().map((name) => `  ${name}/… (any model of ${name})`)];
  const access = gatekeeper.asksForKeys
    ? "Keys are needed."
    : "No keys are configured: only this machine can reach it.";
  return `fullstop is listening on ${address}\n\nmodels:\n${models.join("\n")}\n\n${access}\n`;
}

async function readConfig(file: string | undefined): Promise<GatewayConfig> {
  const name = path.resolve(file ?? CONFIG_FILE);
  let text: string;
  try {
    text = await readFile(name, "utf8");
  } catch (error) {
    if (file === undefined) return parseConfig({});
    throw new ConfigError(`cannot read ${name}: ${messageOf(error)}`);
  }
  try {
    return parseConfig(JSON.parse(text));
  } catch (error) {
    throw new ConfigError(`${name}: ${messageOf(error)}`);
  }
}

function withModel(config: GatewayConfig, model: string | undefined): GatewayConfig {
  if (model === undefined) return config;
  const name = path.basename(model).replace(/\.gguf$/iu, "");
  return { ...config, models: { ...config.models, [name]: { local: model } } };
}

function portOf(env: Terminal["env"]): number | undefined {
  const text = env["PORT"];
  return text === undefined || text === "" ? undefined : readPort("PORT", text);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Lets answers end by themselves for a while, ends the others honestly, and frees everything. */
async function end(app: FastifyInstance, house: BuiltHouse, patience: number): Promise<void> {
  const closed = app.close();
  const timer = setTimeout(() => void house.registry.stopAll("shutdown"), patience);
  await closed;
  clearTimeout(timer);
  await house.close();
}
