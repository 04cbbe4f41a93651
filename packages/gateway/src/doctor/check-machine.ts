import { once } from "node:events";
import { createServer } from "node:net";
import { messageOf } from "../message-of.ts";
import { openModel } from "../models/open-model.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { openStore } from "../stores/open-store.ts";
import { LOOPBACK } from "../serve/options.ts";
import { absent, well, wrong } from "./check.ts";
import type { Finding } from "./check.ts";

/** The oldest Node that everything runs on. */
const OLDEST_NODE = [20, 19] as const;

/** Whether Node is new enough. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return well(version);
  return wrong(version, `install Node ${oldestMajor}.${oldestMinor} or newer`);
}

/** Whether the embedded model can be loaded and writes a token. */
export async function checkPip(config: GatewayConfig, environment: Environment): Promise<Finding> {
  const { engine, model, close } = await openModel("pip", config, environment);
  try {
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
    const signal = new AbortController().signal;
    // The first token of a model that thinks is a mark that nobody sees.
    const request = { model, messages, maxOutputTokens: 8, reasoning: { budgetTokens: 0 } };
    for await (const event of engine.generate(request, signal)) {
      if (event.type === "text") return well("it loads and answers");
      if (event.type === "finish") throw new Error(event.signal.message ?? event.signal.reason);
    }
    return wrong("it has said nothing", "reinstall @fullstop/gateway");
  } finally {
    await close();
  }
}

/** Whether the store can be opened and answers. */
export async function checkStore(config: GatewayConfig, environment: Environment): Promise<Finding> {
  let problem: unknown;
  const { store, description } = await openStore({
    place: config.store.place,
    environment,
    ownFile: "generations.db",
    onError: (error) => void (problem = error),
  });
  try {
    await store.readDocument("doctor", "nothing");
    return well(description);
  } catch (error) {
    // Why there is no connection says more than that there is none.
    if (problem !== undefined) return wrong(messageOf(problem), "start it, or set FULLSTOP_STORE to something else");
    throw error;
  } finally {
    await store.close();
  }
}

/** Whether the gateway could listen. */
export async function checkPort(port: number): Promise<Finding> {
  const server = createServer();
  server.listen({ host: LOOPBACK, port });
  try {
    await once(server, "listening");
    return well(`${port} is free`);
  } catch {
    if (await isGateway(port)) return absent(`a gateway listens on ${port} already`);
    return wrong(`${port} is taken by another program`, "end it, or start the gateway with --port");
  } finally {
    server.close();
  }
}

async function isGateway(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(2000);
  return fetch(`http://${LOOPBACK}:${port}/healthz`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
