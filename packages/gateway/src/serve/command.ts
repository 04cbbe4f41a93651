import { isIPv4 } from "node:net";
import { buildHouse } from "../config/build-house.ts";
import type { BuiltHouse } from "../config/build-house.ts";
import { ConfigError } from "../config/config-error.ts";
import type { GatewayConfig } from "../config/config.ts";
import { CONFIG_FILES, readConfig } from "../config/read-config.ts";
import { withLocalModel } from "../models/local-model.ts";
import { shutDown } from "../operations/shut-down.ts";
import { createServer } from "../server.ts";
import { writeText } from "../terminal.ts";
import type { Terminal } from "../terminal.ts";
import { receiveSignal } from "./receive-signal.ts";
import { settleMemory } from "./settle-memory.ts";
import { UsageError, readPort, readServeOptions } from "./options.ts";
import type { ServeOptions } from "./options.ts";

const DEFAULT_PORT = 8787;
const LOOPBACK = "127.0.0.1";
/** How many clients may be waiting to be let in at once; with less, some of those who all come at once are turned away. */
const BACKLOG = 4096;

const USAGE = "usage: fullstop serve [--port N] [--host H] [--config FILE] [--model M]\n";

const HELP = `${USAGE}
Starts the gateway: one server in front of every model, that speaks OpenAI Chat Completions, OpenAI Responses,
Anthropic Messages and Gemini.

  --port N       where to listen; 0 for any free port (default: PORT, or ${DEFAULT_PORT})
  --host H       the address to listen on (default: ${LOOPBACK})
  --config FILE  the configuration (default: the first there is of
                 ${CONFIG_FILES.join(", ")})
  --model M      a local model to serve beside the others: a GGUF file, or hf:user/model:quant

Providers are there as soon as their key is in the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY,
XAI_API_KEY, OPENROUTER_API_KEY, MISTRAL_API_KEY, DEEPSEEK_API_KEY, GROQ_API_KEY; Ollama by OLLAMA_HOST.
FULLSTOP_LOG_LEVEL says how much is logged, as lines of JSON on standard error.
`;

/** Runs `fullstop serve` until the process is told to end. */
export async function runServe(parameters: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const options = readServeOptions(parameters);
    if (options === "help") {
      await writeText(terminal.stdout, HELP);
      return 0;
    }
    settleMemory();
    return await serve(options, terminal);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    await writeText(terminal.stderr, `fullstop serve: ${error.message}\n${USAGE}`);
    return 2;
  }
}

async function serve(options: ServeOptions, { stdout, stderr, env }: Terminal): Promise<number> {
  const read = await readConfig(options.config);
  const config = options.model === undefined ? read : withLocalModel(read, options.model);
  // Not standard output, where the first line is the address.
  const house = await buildHouse(config, env, { write: (line) => void stderr.write(line, () => undefined) });
  try {
    await listen(house, config, options, { stdout, env });
  } finally {
    await house.close();
  }
  return 0;
}

/** Serves until the process is told to end. */
async function listen(
  house: BuiltHouse,
  config: GatewayConfig,
  options: ServeOptions,
  { stdout, env }: Pick<Terminal, "stdout" | "env">,
): Promise<void> {
  const host = options.host ?? config.host ?? LOOPBACK;
  if (!house.gatekeeper.asksForKeys && !isLoopback(host)) {
    throw new ConfigError(`without keys the gateway listens on this machine only; configure keys to listen on ${host}`);
  }
  const port = options.port ?? portOf(env) ?? config.port ?? DEFAULT_PORT;
  const app = createServer(house, config);
  const address = await app.listen({ host, port, backlog: BACKLOG });
  house.operations.metrics.addProcessMetrics();
  await writeText(stdout, bannerOf(address, house));
  const hurry = new AbortController();
  await receiveSignal(() => hurry.abort());
  await shutDown(app, house, { patience: config.shutdownMilliseconds, hurry: hurry.signal });
}

function bannerOf(address: string, { router, gatekeeper, storeDescription }: BuiltHouse): string {
  const named = router.list().map(({ id, provider }) => `  ${id} (${provider})`);
  const models = [...named, ...router.providers().map((name) => `  ${name}/… (any model of ${name})`)];
  const access = gatekeeper.asksForKeys
    ? "Keys are needed."
    : "No keys are configured: only this machine can reach it.";
  const page = `Open ${address}/ in a browser to talk to them, watch what runs, and stop it.`;
  return `fullstop is listening on ${address}\n\n${page}\n\nmodels:\n${models.join("\n")}\n\nanswers are kept ${storeDescription}\n${access}\n`;
}

function portOf(env: Terminal["env"]): number | undefined {
  const text = env["PORT"];
  return text === undefined || text === "" ? undefined : readPort("PORT", text);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
