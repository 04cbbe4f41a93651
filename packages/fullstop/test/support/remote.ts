import { createRemoteEngine, defineProvider } from "../../src/engines/index.ts";
import type { Provider, RemoteEngineOptions } from "../../src/engines/index.ts";
import type { Engine } from "../../src/engine.ts";
import type { GenerationRequest } from "../../src/index.ts";
import type { WireWarning } from "../../src/wire/index.ts";
import { openProviderServer } from "./provider-server.ts";
import type { AskedDialect, ProviderServer, Reply } from "./provider-server.ts";

/** A key that looks like nobody's, so that only knowing it helps to keep it out of errors. */
export const KEY = "quiet-harbour-1729";

/** An engine and the server that it asks. */
export interface Remote {
  readonly engine: Engine;
  readonly server: ProviderServer;
  readonly warnings: readonly WireWarning[];
}

/** What can be set about the engine and its provider. */
export interface RemoteSettings {
  readonly engine?: Partial<Omit<RemoteEngineOptions, "provider">>;
  readonly provider?: Partial<Provider>;
}

/** Opens a server that gives one answer to everybody, and an engine that asks it, while `use` runs. */
export async function withRemote<T>(
  dialect: AskedDialect,
  reply: Reply | ((request: GenerationRequest) => Reply),
  use: (remote: Remote) => Promise<T>,
  settings: RemoteSettings = {},
): Promise<T> {
  const server = await openProviderServer(dialect, typeof reply === "function" ? reply : () => reply);
  const warnings: WireWarning[] = [];
  const headers = { authorization: `Bearer ${KEY}`, "x-api-key": KEY };
  const { format, baseUrl } = server;
  const provider = defineProvider({ id: "local", format, baseUrl, headers, ...settings.provider });
  const onWarning = (warning: WireWarning): void => void warnings.push(warning);
  try {
    return await use({ engine: createRemoteEngine({ provider, onWarning, ...settings.engine }), server, warnings });
  } finally {
    await server.close();
  }
}
