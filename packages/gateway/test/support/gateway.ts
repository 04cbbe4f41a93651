import { createHash } from "node:crypto";
import { afterAll } from "vitest";
import { buildHouse } from "../../src/config/build-house.ts";
import type { BuiltHouse } from "../../src/config/build-house.ts";
import { parseConfig } from "../../src/config/config.ts";
import type { LiveGeneration } from "../../src/generations/live-generation.ts";
import { createServer } from "../../src/server.ts";

export { get, post, readFrames } from "./http.ts";

/** A gateway that listens on this machine. */
export interface Gateway {
  readonly url: string;
  readonly house: BuiltHouse;
  /** Resolves when the next client has gone. */
  readonly nextDisconnect: () => Promise<void>;
  close(): Promise<void>;
}

/** Opens a gateway by a configuration. It logs where it is told to. */
export async function openGateway(
  config: object = {},
  environment: Readonly<Record<string, string>> = {},
  logTo?: { write(line: string): void },
): Promise<Gateway> {
  const parsed = parseConfig(config);
  // Nothing is left behind, unless a test is about what is.
  const house = await buildHouse(parsed, { FULLSTOP_STORE: "memory", ...environment }, logTo);
  const app = createServer(house, parsed);
  let waiting: (() => void)[] = [];
  app.server.on("connection", (socket) => {
    socket.on("close", () => {
      for (const wake of waiting) wake();
      waiting = [];
    });
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    house,
    nextDisconnect: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      await house.close();
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** Opens a gateway that is closed after the tests of a file. */
export async function openGatewayForFile(...parameters: Parameters<typeof openGateway>): Promise<Gateway> {
  const gateway = await openGateway(...parameters);
  afterAll(() => gateway.close());
  return gateway;
}

/** What a key looks like in a configuration. */
export function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** The oldest generation that runs, as soon as there is one and it has written something. */
export async function whenWriting({ house }: Gateway): Promise<LiveGeneration> {
  for (;;) {
    const [live] = house.generations.live();
    if (live !== undefined && live.log.length > 1) return live;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
