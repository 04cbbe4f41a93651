import { afterAll } from "vitest";
import type { GenerationRequest } from "fullstop";
import { ASKED_DIALECTS } from "./dialects.ts";
import type { AskedDialect } from "./dialects.ts";
import { openGatewayForFile } from "./gateway.ts";
import type { Gateway } from "./gateway.ts";
import { openUpstream } from "./upstream.ts";
import type { Reply, Upstream } from "./upstream.ts";

/** A gateway in front of one provider for each dialect, which answers as a test has told it. */
export interface ScriptedGateway extends Gateway {
  readonly upstreams: Readonly<Record<AskedDialect, Upstream>>;
  /** Says how a provider answers from now on. */
  script(dialect: AskedDialect, reply: Reply | ((request: GenerationRequest) => Reply)): void;
}

/** The key that the gateway has for its providers. */
export const PROVIDER_KEY = "quiet-harbour-1729";

/** Opens a gateway whose providers go by the names of their dialects. All of it is closed after the tests of a file. */
export async function openScripted(
  config: object = {},
  provider: object = {},
  logTo?: { write(line: string): void },
): Promise<ScriptedGateway> {
  const scripts = new Map<AskedDialect, (request: GenerationRequest) => Reply>();
  const open = async (dialect: AskedDialect): Promise<[AskedDialect, Upstream]> => {
    const answer = (request: GenerationRequest): Reply => scripts.get(dialect)?.(request) ?? { status: 404 };
    return [dialect, await openUpstream(dialect, answer)];
  };
  const upstreams = Object.fromEntries(await Promise.all(ASKED_DIALECTS.map(open))) as Record<AskedDialect, Upstream>;
  const providers = Object.fromEntries(
    Object.values(upstreams).map(({ dialect, baseUrl }) => [
      dialect,
      { dialect, baseUrl, apiKeyEnv: "PROVIDER_KEY", ...provider },
    ]),
  );
  const gateway = await openGatewayForFile({ ...config, providers }, { PROVIDER_KEY }, logTo);
  afterAll(() => Promise.all(Object.values(upstreams).map((upstream) => upstream.close())));
  return {
    ...gateway,
    upstreams,
    script: (dialect, reply) => void scripts.set(dialect, typeof reply === "function" ? reply : () => reply),
  };
}
