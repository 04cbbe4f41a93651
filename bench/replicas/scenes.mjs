// @ts-check
import { register } from "node:module";

register("../../scripts/typescript-hooks.mjs", import.meta.url);

/*
 * What the tests of the replicas do a few times, done often. Their helpers are TypeScript, which is why they are
 * imported when they are needed: only then are the hooks there that read it.
 */

const STOPS = { long: 500, short: 200 };
const WARM_UP_STOPS = 25;
const CRASHES = { long: 20, short: 3 };
const STREAMS = 200;

/** @typedef {Pick<import("../parts.mjs").Surroundings, "sampling" | "showProgress">} Progress */

/**
 * How long it takes that another replica stops a generation, from the request to its receipt, in milliseconds, and how
 * often it was not stopped.
 *
 * @param {Progress} surroundings
 * @returns {Promise<{times: readonly number[], failed: number}>}
 */
export async function measureStops({ sampling, showProgress }) {
  const count = WARM_UP_STOPS + STOPS[sampling];
  return inRoom(async (room) => {
    const { openChat, stop } = await import("../../packages/gateway/test/support/replicas.ts");
    const { text } = await import("fullstop/testing");
    const [redis, upstream] = await Promise.all([room.redis(), room.upstream(() => [text("So far"), saySilent])]);
    const { a, b } = await room.serveTwo(upstream, redis.url);
    /** @type {number[]} */
    const times = [];
    let failed = 0;
    for (let index = 0; index < count; index++) {
      showProgress(`stop ${index + 1} of ${count}`);
      const stream = await openChat(a.url);
      await stream.has(1);
      const start = performance.now();
      const { body } = await stop(b.url, stream.id);
      const milliseconds = performance.now() - start;
      const isStopped = body.result === "stopped" && body.replica.startsWith("a-");
      if (!isStopped) failed += 1;
      else if (index >= WARM_UP_STOPS) times.push(milliseconds);
      if (isStopped) await stream.over;
    }
    return { times, failed };
  });
}

/**
 * What is left after each of many crashes of a server with a file.
 *
 * @param {Progress} surroundings
 * @returns {Promise<readonly import("../../packages/gateway/test/support/crash.ts").CrashFindings[]>}
 */
export async function findAfterCrashes({ sampling, showProgress }) {
  return inRoom(async (room) => {
    const { crashOnce, openSlowUpstream } = await import("../../packages/gateway/test/support/crash.ts");
    const upstream = await openSlowUpstream(room);
    const file = room.file("generations.db");
    const findings = [];
    for (let crash = 0; crash < CRASHES[sampling]; crash++) {
      showProgress(`crash ${crash + 1} of ${CRASHES[sampling]}`);
      findings.push(await crashOnce(room, upstream, file, { streams: STREAMS, pieces: 11 + crash }));
    }
    return findings;
  });
}

/** @returns {Promise<void>} */
function saySilent() {
  return new Promise(() => undefined);
}

/**
 * Starts a Redis for whatever is measured, and ends it afterwards.
 *
 * @template Result
 * @param {(url: string) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withRedis(work) {
  return inRoom(async (room) => work((await room.redis()).url));
}

/**
 * @template Result
 * @param {(room: import("../../packages/gateway/test/support/replicas.ts").ReplicaRoom) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function inRoom(work) {
  const { createReplicaRoom } = await import("../../packages/gateway/test/support/replicas.ts");
  /** @type {(() => Promise<void>)[]} */
  const cleaners = [];
  const room = createReplicaRoom((clean) => void cleaners.push(clean));
  try {
    return await work(room);
  } finally {
    for (const clean of cleaners) await clean();
  }
}
