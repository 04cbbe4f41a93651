import type { FinishEvent, GenerationEvent, TerminationSignal } from "../../../src/index.ts";
import { finish } from "../../../src/testing/index.ts";
import { LEASE } from "./world.ts";
import type { Expected, Reader, World } from "./world.ts";

/** Throws unless something holds. */
function hold(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(what);
}

/** Checks what holds at every moment, whatever has happened. */
export async function checkWorld(world: World): Promise<void> {
  hold(world.faults.length === 0, world.faults.join("; "));
  for (const expected of world.expected) {
    const stored = await world.shared.data.read(expected.id, 0);
    checkRecord(world, expected, stored);
    for (const reader of world.readers) if (reader.of === expected) checkReader(reader, stored);
  }
}

/** Checks that a record is what was written, with at most one ending, and that this is one it can have. */
function checkRecord(world: World, expected: Expected, stored: readonly GenerationEvent[]): void {
  const { id, live } = expected;
  const ending = checkEvents(expected, stored, "the store");
  if (ending !== undefined) {
    const isLost = ending.detail === "owner_lost";
    const mayBeLost = expected.mayBeLost || !world.isAlive(expected.server);
    hold(!isLost || mayBeLost, `${id}: ended as lost while its server lived`);
    hold(isLost || ending === live.ownEnding, `${id}: ended with ${ending.detail}, which nobody has asked for`);
  }
  const before = expected.ending;
  hold(before === undefined || ending === before || expected.mayBeGone, `${id}: has another ending than before`);
  expected.ending = ending;
  const reasons = live.orders.map(({ reason }) => reason);
  hold(new Set(reasons).size === reasons.length, `${id}: an order was carried out twice: ${reasons.join()}`);
}

/** Checks what somebody has read: the same as was written, and nothing that is not in the store if that was there. */
function checkReader({ of, seen }: Reader, stored: readonly GenerationEvent[]): void {
  const ending = checkEvents(of, seen, "a reader");
  if (of.mayBeGone || of.live.hasMissed || of.isForgotten) return;
  hold(seen.length <= stored.length, `${of.id}: a reader has seen what the store does not have`);
  hold(ending === undefined || ending === of.ending, `${of.id}: a reader has seen another end`);
}

/** Checks that events are the first of those that were written, with a finish at most at the end. Returns its signal. */
function checkEvents(
  { id, written }: Expected,
  events: readonly GenerationEvent[],
  who: string,
): TerminationSignal | undefined {
  const last = events.at(-1);
  const end: FinishEvent | undefined = last?.type === "finish" ? last : undefined;
  const body = end === undefined ? events : events.slice(0, -1);
  body.forEach((event, index) =>
    hold(event === written[index], `${id}: event ${index} of ${who} is not the one written`),
  );
  return end?.signal;
}

/** Lets everything come to its end, and checks that it was the right one and that nothing is left over. */
export async function concludeWorld(world: World): Promise<void> {
  world.setLinks(world.alive(), "up");
  if (world.alive().length === 0) await world.addServer();
  await world.clock.advance(LEASE);
  await checkWorld(world);
  await checkLost(world);
  // A notice that was lost is made up for once in a lease, and a bit.
  await world.clock.advance(LEASE / 4);
  await checkWorld(world);
  await checkOrders(world);
  for (const { live, server } of world.expected) if (world.isAlive(server)) live.finish(finish().signal);
  const [somewhere] = world.alive();
  hold(somewhere !== undefined, "a server lives");
  await world.clock.advance(500);
  // Also those that were told that there is no such generation, as long as the store had forgotten it.
  for (const reader of world.readers) if (reader.state !== "reading") world.resume(reader, somewhere);
  await world.clock.advance(2_000);
  await checkWorld(world);
  for (const expected of world.expected) await checkEnd(world, expected);
  await checkLeftovers(world);
}

/** Those whose server has gone have ended, with what was recorded of them. */
async function checkLost(world: World): Promise<void> {
  for (const { id, server } of world.expected) {
    const stored = await world.shared.data.find(id);
    hold(world.isAlive(server) || stored === undefined || stored.signal !== undefined, `${id}: lost, and runs on`);
  }
}

/** What was acknowledged has been carried out, in the order in which it was left, or came too late. */
async function checkOrders(world: World): Promise<void> {
  for (const { id, live, server, acknowledged, isForgotten, mayBeGone } of world.expected) {
    if (!world.isAlive(server) || live.ownEnding !== undefined || mayBeGone) continue;
    for (const order of acknowledged) hold(live.orders.includes(order), `${id}: ${order.reason} was not carried out`);
    const left = await world.shared.data.orders(id);
    const isSame = live.orders.length === left.length && live.orders.every((order, index) => order === left[index]);
    hold(isForgotten || isSame, `${id}: orders were carried out in another order`);
  }
}

async function checkEnd(
  world: World,
  { id, live, server, written, mayBeGone, isForgotten, ending }: Expected,
): Promise<void> {
  const isHere = world.isAlive(server);
  if (mayBeGone) return;
  hold(ending !== undefined || !isHere, `${id}: has no ending`);
  const stored = await world.shared.data.read(id, 0);
  const isLost = ending?.detail === "owner_lost";
  if (isHere && !isLost) {
    hold(ending === live.ownEnding, `${id}: ended otherwise than where it was generated`);
    hold(stored.length === written.length + 1, `${id}: ${written.length} events, ${stored.length} recorded`);
  }
  // Where the store was away or has forgotten, readers may have seen what has then gone with its server, or was cut off from it.
  if ((isLost || !isHere) && (live.hasMissed || isForgotten)) return;
  for (const { of, seen } of world.readers) {
    if (of.id === id) hold(seen.length === stored.length, `${id}: a reader has ${seen.length} of ${stored.length}`);
  }
}

/** Nobody reads, waits or watches any more. */
async function checkLeftovers(world: World): Promise<void> {
  for (const { of, state } of world.readers) hold(state === "done", `${of.id}: a reader is ${state}`);
  for (const server of world.alive()) {
    hold(server.tracker.active().length === 0, `${server.name} tracks what has ended`);
    hold(server.generations.size === 0, `${server.name} holds what has ended`);
    server.close();
  }
  await world.settle();
  hold(world.shared.watches === 0, `${world.shared.watches} watch`);
  for (const { name, timers } of world.alive()) hold(timers === 0, `${timers} timers of ${name} run`);
}
