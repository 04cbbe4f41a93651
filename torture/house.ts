import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startRedis } from "../packages/gateway/test/support/redis-server.ts";
import { startServe } from "../packages/gateway/test/support/serve.ts";
import type { ServeProcess } from "../packages/gateway/test/support/serve.ts";
import { DIALECTS } from "./plan/kinds.ts";
import type { HouseFault } from "./plan/kinds.ts";
import type { ReplicaName } from "./plan/plan.ts";
import { feelPulse } from "./pulse.ts";

/** The keys of those who ask, and of somebody who has no business with their generations. */
export const KEYS = { alice: "alice-key", bob: "bob-key" } as const;

/** How long a gateway waits for a provider: so short that whoever stalls is seen to end. */
const SILENCE_MILLISECONDS = 5000;

/** How long the generations of a gateway that has died may seem to run. */
const LEASE_MILLISECONDS = 4000;

/** How long running answers may go on when a gateway is told to end. */
const SHUTDOWN_MILLISECONDS = 300;

/** One time that a gateway was ended. */
export interface HouseFaultRecord {
  readonly kind: HouseFault;
  readonly replica: ReplicaName;
  readonly from: number;
  /** When it was there again. */
  readonly until: number;
  /** How the process ended. */
  readonly exit: number | NodeJS.Signals | null;
  /** What it said on standard error. */
  readonly stderr: string;
}

/** A Redis server and two gateways in front of a provider. */
export interface House {
  /** Where a gateway is at present. */
  url(name: ReplicaName): string;
  /** Whether a gateway is being ended, or is not there again yet. */
  isDown(name: ReplicaName): boolean;
  /** Ends a gateway and starts another one in its place, after those that came before were done. */
  fail(kind: HouseFault, name: ReplicaName): Promise<void>;
  readonly faults: readonly HouseFaultRecord[];
  /** Whether a gateway was ended within some time, or is being ended. */
  wasDown(name: ReplicaName, from: number, until: number): HouseFault | undefined;
  /** Whether the store was slow within some time. */
  wasStoreSlow(from: number, until: number): boolean;
  close(): Promise<void>;
}

/** Opens it. `program` starts a gateway, if it is not to be this repository's own. */
export async function openHouse(providerUrl: string, program?: readonly string[]): Promise<House> {
  const folder = mkdtempSync(path.join(tmpdir(), "fullstop-torture-"));
  const redis = await startRedis();
  const start = (name: ReplicaName): Promise<ServeProcess> => {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(configOf(name, providerUrl)));
    const env = { FULLSTOP_STORE: redis.url, FULLSTOP_LOG_LEVEL: "error" };
    return startServe(["--config", file], { cwd: folder, env, ...(program && { program }) });
  };
  const pulse = feelPulse(() => redis.command("PING"));
  const [a, b] = await Promise.all([start("a"), start("b")]);
  const replicas: Record<ReplicaName, ServeProcess> = { a, b };
  const faults: HouseFaultRecord[] = [];
  let current: { readonly kind: HouseFault; readonly replica: ReplicaName; readonly from: number } | undefined;
  let last: Promise<void> = Promise.resolve();
  const failNow = async (kind: HouseFault, replica: ReplicaName): Promise<void> => {
    const ended = replicas[replica];
    current = { kind, replica, from: Date.now() };
    ended.child.kill(kind === "kill" ? "SIGKILL" : "SIGTERM");
    const exit = await ended.exit;
    replicas[replica] = await start(replica);
    faults.push({ ...current, until: Date.now(), exit, stderr: ended.stderr() });
    current = undefined;
  };
  return {
    url: (name) => replicas[name].url,
    isDown: (name) => current?.replica === name,
    fail(kind, name) {
      last = last.then(() => failNow(kind, name));
      return last;
    },
    faults,
    wasDown: (name, from, until) =>
      [...faults, ...(current === undefined ? [] : [{ ...current, until: Number.POSITIVE_INFINITY }])].find(
        (fault) => fault.replica === name && fault.from <= until && fault.until >= from,
      )?.kind,
    wasStoreSlow: (from, until) => pulse.wasSlow(from, until),
    async close() {
      await last;
      await pulse.stop();
      for (const { child, exit } of Object.values(replicas)) {
        child.kill("SIGKILL");
        await exit;
      }
      await redis.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function configOf(name: ReplicaName, providerUrl: string): object {
  const timeouts = { firstByteMilliseconds: SILENCE_MILLISECONDS, silenceMilliseconds: SILENCE_MILLISECONDS };
  return {
    port: 0,
    replica: name,
    providers: Object.fromEntries(
      DIALECTS.map((dialect) => {
        const baseUrl = `${providerUrl}/${dialect === "gemini" ? "v1beta" : "v1"}`;
        return [dialect, { dialect, baseUrl, timeouts }];
      }),
    ),
    keys: Object.entries(KEYS).map(([owner, key]) => ({
      name: owner,
      sha256: createHash("sha256").update(key).digest("hex"),
    })),
    shutdownMilliseconds: SHUTDOWN_MILLISECONDS,
    store: { leaseMilliseconds: LEASE_MILLISECONDS, retention: { maxCount: 1_000_000, maxBytes: 2 ** 32 } },
  };
}
