import { request as openRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { KEYS } from "../house.ts";
import type { House } from "../house.ts";
import type { KeptEvent } from "../observation.ts";
import type { ReplicaName } from "../plan/plan.ts";
import { readFrame } from "../sse.ts";
import { send } from "./http.ts";

/** How long whoever asks for what is kept tries again where a gateway has gone away. */
const PATIENCE_MILLISECONDS = 30_000;

/** How long a store that was slow may take to be told of a generation that its client has seen. */
const RECORD_MILLISECONDS = 5000;

/** Another gateway than one that is away. */
export function livingOne(house: House, preferred: ReplicaName): ReplicaName {
  if (!house.isDown(preferred)) return preferred;
  return preferred === "a" ? "b" : "a";
}

/**
 * Follows the events of a generation to their end, from any gateway, and goes on elsewhere where that one goes away.
 * With `breaks` it goes away itself after so many events, as often as there are numbers, and comes back for the rest.
 * Undefined if there is no such generation.
 */
export async function followEvents(
  house: House,
  preferred: ReplicaName,
  id: string,
  breaks: readonly number[] = [],
): Promise<readonly KeptEvent[] | undefined> {
  const events: KeptEvent[] = [];
  const until = Date.now() + PATIENCE_MILLISECONDS;
  const found = Date.now() + RECORD_MILLISECONDS;
  const left = [...breaks];
  while (Date.now() < until) {
    const url = `${house.url(livingOne(house, preferred))}/v1/generations/${id}/events?from=${events.length}`;
    const outcome = await followOnce(url, events, left.shift() ?? Number.POSITIVE_INFINITY);
    if (outcome === "not found" && Date.now() > found) return undefined;
    if (events.at(-1)?.type === "finish" || outcome === "no more") return events;
    if (outcome === "broken" || outcome === "not found") await sleep(100);
  }
  throw new Error(`the events of ${id} did not come to an end: ${JSON.stringify(events.slice(-3))}`);
}

async function followOnce(
  url: string,
  events: KeptEvent[],
  most: number,
): Promise<"ended" | "broken" | "left" | "not found" | "no more"> {
  const response = await open(url);
  if (response?.statusCode === 404) return drop(response, "not found");
  if (response?.statusCode === 204) return drop(response, "no more");
  if (response?.statusCode !== 200) return drop(response, "broken");
  let rest = "";
  let count = 0;
  response.setEncoding("utf8");
  try {
    for await (const chunk of response as AsyncIterable<string>) {
      const frames = (rest + chunk).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const read = readFrame(frame);
        if (read === undefined) continue;
        events.push(eventOf(read.data));
        if (Number(read.id) !== events.length) throw new EventError(`event ${read.id} came as number ${events.length}`);
        count += 1;
        if (count >= most) return drop(response, "left");
      }
    }
    return response.complete ? "ended" : "broken";
  } catch (error) {
    if (error instanceof EventError) throw error;
    return "broken";
  }
}

/** Events that nobody can read, that are not in their order, or not all there. */
class EventError extends Error {}

function eventOf(data: string): KeptEvent {
  try {
    return JSON.parse(data) as KeptEvent;
  } catch {
    throw new EventError(`an event is not JSON: ${data}`);
  }
}

function drop<T>(response: IncomingMessage | undefined, outcome: T): T {
  response?.destroy();
  return outcome;
}

function open(url: string): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const asked = openRequest(url, { agent: false, headers: { authorization: `Bearer ${KEYS.alice}` } }, resolve);
    asked.on("error", () => resolve(undefined));
    asked.end();
  });
}

/** One row of a list of generations. */
export interface Row {
  readonly id: string;
  readonly model: string;
  readonly state?: string;
}

/** The generations that run, as a gateway tells; none if it does not answer. */
export async function listRunning(house: House, name: ReplicaName): Promise<readonly Row[]> {
  const reply = await send(`${house.url(name)}/v1/generations`, "GET", "alice");
  if (reply?.status !== 200) return [];
  return (JSON.parse(reply.text) as { generations: readonly Row[] }).generations;
}

/** All generations that have ended. */
export async function listEnded(house: House, name: ReplicaName): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let before = ""; ;) {
    const reply = await send(`${house.url(name)}/v1/generations?state=ended&limit=1000${before}`, "GET", "alice");
    if (reply?.status !== 200) throw new Error(`the history was refused: ${reply?.text}`);
    const page = JSON.parse(reply.text) as { generations: readonly Row[]; next: string | null };
    rows.push(...page.generations);
    if (page.next === null) return rows;
    before = `&before=${encodeURIComponent(page.next)}`;
  }
}
