import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { GenerationEvent, GenerationRequest, TerminationSignal } from "fullstop";
import { post, readFrames } from "./http.ts";
import { startRedis } from "./redis-server.ts";
import type { RedisServer, RedisServerOptions } from "./redis-server.ts";
import { startServe } from "./serve.ts";
import type { ServeProcess } from "./serve.ts";
import { openUpstream } from "./upstream.ts";
import type { Reply, Upstream } from "./upstream.ts";

/** The keys of the people in these tests, by name. */
export const KEYS = { alice: "alice-key", bob: "bob-key", olivia: "olivia-key" } as const;

/** The model that the provider of these tests has. */
export const MODEL = "up/model";

/** The lease of the replicas in these tests: short, so that a loss is seen soon. */
export const LEASE_MILLISECONDS = 2_000;

/** A gateway in a process of its own. */
export interface ReplicaProcess extends ServeProcess {
  /** What it was called; its name as a replica begins with it. */
  readonly name: string;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

/** Two gateways that share a store. */
export interface TwoReplicas {
  readonly a: ReplicaProcess;
  readonly b: ReplicaProcess;
}

/** Gateways, servers and providers of a test, gone after it. */
export interface ReplicaRoom {
  redis(options?: RedisServerOptions): Promise<RedisServer>;
  upstream(answer: (request: GenerationRequest) => Reply): Promise<Upstream>;
  /** Starts a gateway in front of a provider. `store` is what FULLSTOP_STORE says. */
  serve(name: string, upstream: Upstream, store: string, config?: object): Promise<ReplicaProcess>;
  /** Starts two gateways, a and b. */
  serveTwo(upstream: Upstream, store: string, config?: object): Promise<TwoReplicas>;
  /** The path of a file of this test. */
  file(name: string): string;
}

/** Makes a room; `after` is told how to clean it, such as vitest's `afterEach` or `afterAll`. */
export function createReplicaRoom(after: (clean: () => Promise<void>) => void): ReplicaRoom {
  const leftovers: (() => Promise<void>)[] = [];
  let folder: string | undefined;
  after(async () => {
    for (const clean of leftovers.splice(0).toReversed()) await clean();
  });
  const file = (name: string): string => {
    if (folder === undefined) {
      const made = mkdtempSync(path.join(tmpdir(), "fullstop-replicas-"));
      folder = made;
      leftovers.push(async () => {
        rmSync(made, { recursive: true });
        folder = undefined;
      });
    }
    return path.join(folder, name);
  };
  const serve: ReplicaRoom["serve"] = async (name, upstream, store, config = {}) => {
    const keys = Object.entries(KEYS).map(([owner, key]) => ({
      name: owner,
      sha256: createHash("sha256").update(key).digest("hex"),
      ...(owner === "olivia" && { operator: true }),
    }));
    const { store: stored, ...rest } = config as { readonly store?: object };
    const whole = {
      port: 0,
      replica: name,
      providers: { up: { baseUrl: upstream.baseUrl } },
      keys,
      store: { leaseMilliseconds: LEASE_MILLISECONDS, ...stored },
      ...rest,
    };
    const written = file(`${name}.json`);
    writeFileSync(written, JSON.stringify(whole));
    const env = { FULLSTOP_STORE: store, FULLSTOP_LOG_LEVEL: "error" };
    const served = await startServe(["--config", written], { cwd: file("."), env });
    const kill = async (): Promise<void> => {
      served.child.kill("SIGKILL");
      await served.exit;
    };
    leftovers.push(kill);
    return { ...served, name, kill };
  };
  return {
    file,
    async redis(options) {
      const redis = await startRedis(options);
      leftovers.push(() => redis.stop());
      return redis;
    },
    async upstream(answer) {
      const upstream = await openUpstream("openai-chat", answer);
      leftovers.push(() => upstream.close());
      return upstream;
    },
    serve,
    async serveTwo(upstream, store, config) {
      const [a, b] = await Promise.all([serve("a", upstream, store, config), serve("b", upstream, store, config)]);
      return { a, b };
    },
  };
}

/** The header by which somebody comes in. */
export function as(name: keyof typeof KEYS): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${KEYS[name]}` };
}

/** A stream that is being read. */
export interface OpenStream {
  readonly id: string;
  /** The pieces of text that have come so far. */
  readonly pieces: readonly string[];
  /** How often it was told how the answer ended. */
  readonly finishes: readonly string[];
  /** Resolves when so many pieces have come, or the stream is over. */
  has(pieces: number): Promise<void>;
  /** Resolves when it is over, with whether it came to its end. */
  readonly over: Promise<"ended" | "broken">;
}

/** Asks for a chat as a stream, and reads it. */
export async function openChat(url: string, more: object = {}): Promise<OpenStream> {
  const body = { model: MODEL, stream: true, messages: [{ role: "user", content: "Hi" }], ...more };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...as("alice") },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the chat was refused with ${response.status}: ${await response.text()}`);
  const pieces: string[] = [];
  const finishes: string[] = [];
  let waiting: { readonly count: number; readonly wake: () => void }[] = [];
  const wake = (isOver: boolean): void => {
    for (const each of waiting) if (isOver || pieces.length >= each.count) each.wake();
    waiting = waiting.filter((each) => !isOver && pieces.length < each.count);
  };
  let isOver = false;
  const read = async (): Promise<"ended" | "broken"> => {
    try {
      for await (const { data } of readFrames(response)) {
        if (data === "[DONE]") continue;
        const { choices = [], error } = JSON.parse(data) as ChatChunk;
        if (error !== undefined) finishes.push("error");
        for (const { delta, finish_reason: reason } of choices) {
          if (typeof delta?.content === "string" && delta.content !== "") pieces.push(delta.content);
          if (reason !== null && reason !== undefined) finishes.push(reason);
        }
        wake(false);
      }
      return "ended";
    } catch {
      return "broken";
    } finally {
      isOver = true;
      wake(true);
    }
  };
  const over = read();
  return {
    id: response.headers.get("x-fullstop-generation-id") ?? "",
    pieces,
    finishes,
    over,
    has: (count) =>
      isOver || pieces.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, wake: resolve })),
  };
}

interface ChatChunk {
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string };
    readonly finish_reason?: string | null;
  }[];
}

/** A receipt of a stop, or a generation as it is looked at. */
export interface Told {
  readonly id: string;
  readonly result: string;
  readonly replica: string;
  readonly state: string;
  readonly text: string;
  readonly reasoning: string;
  readonly usage: { readonly outputTokens?: number } | null;
  readonly signal: TerminationSignal;
}

/** Stops a generation. */
export async function stop(
  url: string,
  id: string,
  order: object = {},
  who: keyof typeof KEYS = "alice",
): Promise<{ readonly status: number; readonly body: Told }> {
  const { status, body } = await post(`${url}/v1/generations/${id}/stop`, order, as(who));
  return { status, body: body as Told };
}

/** Looks at a generation. */
export async function look(url: string, id: string, who: keyof typeof KEYS = "alice") {
  const response = await fetch(`${url}/v1/generations/${id}`, { headers: as(who) });
  return { status: response.status, body: (await response.json()) as Told };
}

/** Follows the events of a generation from an offset on, to their end. Their ids have to count on from there. */
export async function followEvents(url: string, id: string, from = 0): Promise<readonly GenerationEvent[]> {
  const response = await fetch(`${url}/v1/generations/${id}/events?from=${from}`, { headers: as("alice") });
  const events: GenerationEvent[] = [];
  for await (const frame of readFrames(response)) {
    events.push(JSON.parse(frame.data) as GenerationEvent);
    if (Number(frame.id) !== from + events.length) throw new Error(`event ${frame.id} came as ${from + events.length}`);
  }
  return events;
}

/** The text in events. */
export function textOf(events: readonly GenerationEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}
