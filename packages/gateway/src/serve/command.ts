import { isIPv4 } from "node:net";
import type { Server } from "node:net";
import { defineCommand } from "../command-line/run-command.ts";
import { buildHouse } from "../config/build-house.ts";
import type { BuiltHouse } from "../config/build-house.ts";
import { ConfigError } from "../config/config-error.ts";
import type { GatewayConfig } from "../config/config.ts";
import { readConfig } from "../config/read-config.ts";
import { listeningUrl } from "../listening-address.ts";
import { withLocalModel } from "../models/local-model.ts";
import { shutDown } from "../operations/shut-down.ts";
import { createServer } from "../server.ts";
import { writeText } from "../terminal.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import { receiveSignal } from "./receive-signal.ts";
import { DEFAULT_PORT, LOOPBACK, SERVE, readPort, readServeOptions } from "./options.ts";
import { tuneEngine } from "./tune-engine.ts";
import type { ServeOptions } from "./options.ts";

/** How many clients may be waiting to be let in at once; with less, some of those who all come at once are turned away. */
const BACKLOG = 4096;

/** Runs `fullstop serve` until the process is told to end. */
export const runServe: RunCommand = defineCommand({
  description: SERVE,
  read: readServeOptions,
  run: serve,
  isPlain: (error) => error instanceof ConfigError,
});

async function serve(options: ServeOptions, { stdout, stderr, env }: Terminal): Promise<number> {
  tuneEngine();
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
  const host = oneAddress(options.host ?? config.host ?? LOOPBACK);
  if (!house.gatekeeper.asksForKeys && !isLoopback(host)) {
    throw new ConfigError(`without keys the gateway listens on this machine only; configure keys to listen on ${host}`);
  }
  const port = options.port ?? portOf(env) ?? config.port ?? DEFAULT_PORT;
  const app = createServer(house, config);
  await app.listen({ host, port, backlog: BACKLOG });
  house.operations.metrics.addProcessMetrics();
  const hurry = new AbortController();
  // Before anybody is told where it listens: whoever knows that may end it at once.
  const told = receiveSignal(() => hurry.abort());
  await writeText(stdout, bannerOf(app.server.address(), house));
  await told;
  await shutDown(app, house, { patience: config.shutdownMilliseconds, hurry: hurry.signal });
}

/** Fastify's own word for where a server listens is an address of this machine also where it listens on all there are. */
function bannerOf(
  address: ReturnType<Server["address"]>,
  { router, gatekeeper, storeDescription }: BuiltHouse,
): string {
  if (address === null || typeof address === "string") throw new Error("The server listens on no address");
  const named = router.list().map(({ id, provider }) => `  ${id} (${provider})`);
  const models = [...named, ...router.providers().map((name) => `  ${name}/… (any model of ${name})`)];
  const access = gatekeeper.asksForKeys
    ? "Keys are needed."
    : "No keys are configured: only this machine can reach it.";
  const page = `Open ${listeningUrl(address, true)}/ in a browser to talk to them, watch what runs, and stop it.`;
  return `fullstop is listening on ${listeningUrl(address)}\n\n${page}\n\nmodels:\n${models.join("\n")}\n\nanswers are kept ${storeDescription}\n${access}\n`;
}

function portOf(env: Terminal["env"]): number | undefined {
  const text = env["PORT"];
  return text === undefined || text === "" ? undefined : readPort("PORT", text);
}

/**
 * The address to listen on. Where "localhost" has two, Fastify would open a second server for the other one, which knows
 * nothing of what ours is told: what leaves or is sent over it is not seen as it should be, and it ends when it likes.
 */
function oneAddress(host: string): string {
  return host === "localhost" ? LOOPBACK : host;
}

function isLoopback(host: string): boolean {
  return host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
