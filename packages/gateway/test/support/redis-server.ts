import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "@redis/client";

/** A Redis server of a test's own. */
export interface RedisServer {
  readonly url: string;
  /** Asks the server itself. */
  command<Reply>(...parameters: string[]): Promise<Reply>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Starts it again where it was, with whatever data it has kept. */
  restart(): Promise<void>;
  /** Makes it silent: connections stay, and nothing is answered. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** What a {@link RedisServer} is like. */
export interface RedisServerOptions {
  /** Whether data outlives a crash. Default false. */
  readonly keepsData?: boolean;
  /** Whether it is a cluster, of one server. Default false. */
  readonly isCluster?: boolean;
}

/** How far above its port a server of a cluster listens for the others. */
const BUS_DISTANCE = 10_000;
const HIGHEST_PORT = 65_535;
const SLOTS = 16_384;

/** Starts a Redis server. Throws if there is none on this machine: what a test needs is not skipped. */
export async function startRedis({
  keepsData = false,
  isCluster = false,
}: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(path.join(tmpdir(), "fullstop-redis-"));
  const socket = path.join(folder, "redis.sock");
  const port = isCluster ? await findPort() : 0;
  const place = ["--dir", folder, "--unixsocket", socket, "--bind", "127.0.0.1", "--port", String(port)];
  const parameters = [
    ...place,
    "--save",
    "",
    ...(keepsData ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"]),
    ...(isCluster ? ["--cluster-enabled", "yes"] : []),
  ];
  let server = await run(parameters);
  const command = async <Reply>(...words: string[]): Promise<Reply> => {
    const client = createClient({ url: `unix://${socket}` });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await client.sendCommand<Reply>(words);
    } finally {
      client.destroy();
    }
  };
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  };
  // Also if a test is broken off before it can clean up.
  const killNow = (): void => void server.kill("SIGKILL");
  process.once("exit", killNow);
  if (isCluster) await takeAllSlots(command);
  return {
    url: isCluster ? `redis://127.0.0.1:${port}` : `unix://${socket}`,
    command,
    kill,
    async restart() {
      await kill();
      server = await run(parameters);
    },
    pause: () => void server.kill("SIGSTOP"),
    resume: () => void server.kill("SIGCONT"),
    async stop() {
      await kill();
      process.off("exit", killNow);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts the program and waits until it takes connections. */
async function run(parameters: readonly string[]): Promise<ChildProcess> {
  const child = spawn("redis-server", parameters, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.on("error", () => {
      reject(new Error("There is no redis-server on this machine. Run scripts/install-test-programs.sh"));
    });
    child.on("exit", () => reject(new Error(`redis-server ended: ${output}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      output += `${line}\n`;
      if (line.includes("eady to accept connections")) resolve();
    });
  });
  return child;
}

async function takeAllSlots(command: RedisServer["command"]): Promise<void> {
  await command("CLUSTER", "ADDSLOTS", ...Array.from({ length: SLOTS }, (_, slot) => String(slot)));
  while (!(await command<string>("CLUSTER", "INFO")).includes("cluster_state:ok")) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A port that is free, as is the one above it on which the servers of a cluster talk. */
async function findPort(): Promise<number> {
  for (;;) {
    const port = await listenFor(0);
    if (port === undefined || port + BUS_DISTANCE > HIGHEST_PORT) continue;
    if ((await listenFor(port + BUS_DISTANCE)) !== undefined) return port;
  }
}

function listenFor(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const { port: found } = probe.address() as AddressInfo;
      probe.close(() => resolve(found));
    });
  });
}
