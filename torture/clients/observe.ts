import { setTimeout as sleep } from "node:timers/promises";
import { CLIENTS } from "../../packages/gateway/test/support/clients.ts";
import { KEYS } from "../house.ts";
import type { House } from "../house.ts";
import type { Observation, Order, SdkOutcome } from "../observation.ts";
import { modelOf, orderReasonOf } from "../plan/plan.ts";
import type { Plan, ReplicaName } from "../plan/plan.ts";
import type { Provider } from "../provider/provider.ts";
import { ask, send } from "./http.ts";
import { followEvents, listRunning, livingOne } from "./kept.ts";
import { questionOf, settingsOf, stopsOfDialect } from "./questions.ts";

/** What was seen until the client was done. */
export type FirstLook = Omit<Observation, "exchanges" | "kept" | "houseFault" | "wasOtherDown" | "wasStoreSlow">;

/** Does what the client of a plan does. */
export async function runClient(plan: Plan, house: House): Promise<FirstLook> {
  const asked = livingOne(house, plan.replica);
  const startedAt = Date.now();
  const seen = plan.client === "sdk" ? await runSdk(plan, house, asked) : await runHttp(plan, house, asked);
  return { plan, asked, startedAt, overAt: Date.now(), resumed: undefined, ...seen };
}

type Seen = Pick<FirstLook, "client" | "orders" | "id"> & Partial<Pick<FirstLook, "resumed">>;

async function runSdk(plan: Plan, house: House, asked: ReplicaName): Promise<Seen> {
  const client = CLIENTS[plan.door](house.url(asked), KEYS.alice);
  const stop = stopsOfDialect(plan);
  const told = client({
    model: modelOf(plan),
    stream: plan.isStream,
    think: true,
    tools: true,
    ...(stop.length > 0 && { stop }),
    fullstop: settingsOf(plan),
  });
  const outcome: Promise<SdkOutcome> = told.then(
    (answer) => ({ told: answer }),
    (error: unknown) => ({ error: String(error) }),
  );
  let isOver = false;
  const over = outcome.finally(() => (isOver = true));
  const orders = await giveOrders(plan, house, { over, isOver: () => isOver, knownId: () => undefined });
  const ended = await outcome;
  const id = "told" in ended && ended.told.generationId !== "" ? ended.told.generationId : undefined;
  return { client: { kind: "sdk", outcome: ended }, orders, id };
}

async function runHttp(plan: Plan, house: House, asked: ReplicaName): Promise<Seen> {
  const { conduct } = plan;
  const reading = ask(house.url(asked), questionOf(plan), conduct === "slow-reader");
  const { received } = reading;
  const client = { kind: "http", received } as const;
  if (conduct === "leave-early" || conduct === "leave" || conduct === "leave-running" || conduct === "resume") {
    if (conduct !== "leave-early") await reading.head;
    await Promise.race([reading.done, sleep(plan.after)]);
    if (received.over === undefined) reading.leave();
    await reading.done;
    const { id } = received;
    const breaks = [1 + (plan.number % 7), 1 + (plan.number % 3)];
    const resumed =
      conduct === "resume" && id !== undefined ? await followEvents(house, plan.other, id, breaks) : undefined;
    return { client, orders: [], id, resumed };
  }
  const orders = await giveOrders(plan, house, {
    over: reading.done,
    isOver: () => received.over !== undefined,
    knownId: () => received.id,
  });
  await reading.done;
  return { client, orders, id: received.id };
}

interface Answering {
  readonly over: Promise<unknown>;
  readonly isOver: () => boolean;
  readonly knownId: () => string | undefined;
}

/** Gives the orders that a plan has, at their moment. */
async function giveOrders(plan: Plan, house: House, answering: Answering): Promise<readonly Order[]> {
  const { conduct } = plan;
  if (conduct === "late-stop") {
    await answering.over;
    return giveOrder(plan, house, "stop", "alice", answering);
  }
  if (conduct !== "stop" && conduct !== "finish-sentence" && conduct !== "skip-thinking" && conduct !== "stranger")
    return [];
  await Promise.race([sleep(plan.after), answering.over]);
  if (conduct === "stranger") return giveOrder(plan, house, "stop", "bob", answering);
  return giveOrder(plan, house, conduct, "alice", answering);
}

async function giveOrder(
  plan: Plan,
  house: House,
  mode: Order["mode"],
  who: Order["who"],
  { isOver, knownId }: Answering,
): Promise<readonly Order[]> {
  const at = livingOne(house, plan.other);
  const running = knownId() === undefined ? await listRunning(house, at) : [];
  const id = knownId() ?? running.find(({ model }) => model === modelOf(plan))?.id;
  if (id === undefined) return [];
  const isLate = isOver();
  const url = `${house.url(at)}/v1/generations/${id}/stop`;
  const sentAt = Date.now();
  const reply = await send(url, "POST", who, { mode, reason: orderReasonOf(plan) });
  const given = { mode, who, at, isLate, milliseconds: Date.now() - sentAt };
  if (reply === undefined) return [given];
  const { result, text, reasoning, signal } = JSON.parse(reply.text) as Partial<Order>;
  const said = { ...(result !== undefined && { result }), ...(signal !== undefined && { signal }) };
  const soFar = { ...(text !== undefined && { text }), ...(reasoning !== undefined && { reasoning }) };
  return [{ ...given, status: reply.status, ...said, ...soFar }];
}

/** How long a provider's connection may outlive the generation. */
const HANG_UP_MILLISECONDS = 3000;

/** Looks at what is kept of a generation, and how its provider was treated, when it is over. */
export async function lookAfterwards(first: FirstLook, house: House, provider: Provider): Promise<Observation> {
  const { plan, id, asked, startedAt } = first;
  const kept = id === undefined ? undefined : await followEvents(house, plan.other, id);
  const keptAt = Date.now();
  const exchanges = provider.exchangesOf(plan.number);
  const isOpen = (): boolean => exchanges.some(({ end }) => end === undefined);
  // What nobody has heard of ends when the gateway has noticed; the last look at all of them is for these.
  const until = id === undefined ? keptAt : keptAt + HANG_UP_MILLISECONDS;
  while (isOpen() && Date.now() < until) await sleep(20);
  return {
    ...first,
    exchanges,
    kept,
    houseFault: house.wasDown(asked, startedAt, keptAt),
    wasStoreSlow: house.wasStoreSlow(startedAt, keptAt),
    wasOtherDown: house.wasDown(plan.other, startedAt, keptAt) !== undefined,
  };
}
