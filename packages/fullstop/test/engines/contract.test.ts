import { createRemoteEngine, defineProvider } from "../../src/engines/index.ts";
import { createScriptedEngine } from "../../src/testing/index.ts";
import { describeEngine } from "../support/engine-contract.ts";
import { ASKED_DIALECTS, openProviderServer } from "../support/provider-server.ts";

describeEngine("the scripted engine", async (script) => ({
  engine: createScriptedEngine(script),
  close: () => Promise.resolve(),
}));

for (const dialect of ASKED_DIALECTS) {
  describeEngine(`the remote engine in ${dialect}`, async (script) => {
    const server = await openProviderServer(dialect, script);
    const provider = defineProvider({ id: "local", format: server.format, baseUrl: server.baseUrl });
    return { engine: createRemoteEngine({ provider }), close: () => server.close() };
  });
}
