import type { GenerationEvent, Message, TerminationSignal } from "fullstop";
import type { Store } from "fullstop/control";
import type { ScriptedEngine } from "fullstop/testing";
import type { Registry } from "prom-client";
import { expect } from "vitest";

/** The recorded ends of all answers, in the order in which they have begun, once there are so many. */
export async function endsOf(store: Store, count: number): Promise<readonly TerminationSignal[]> {
  await expect.poll(async () => (await store.ended()).length).toBe(count);
  const records = await Promise.all((await store.ended()).map(({ id }) => store.find(id)));
  return records
    .filter((record) => record !== undefined)
    .toSorted((one, other) => one.startedAt - other.startedAt)
    .flatMap(({ signal }) => (signal === undefined ? [] : [signal]));
}

/** Everything that was recorded of the only answer that has ended. */
export async function eventsOf(store: Store): Promise<readonly GenerationEvent[]> {
  await expect.poll(async () => (await store.ended()).length).toBe(1);
  const [ended] = await store.ended();
  return store.read(ended?.id ?? "", 0);
}

/** The values of a metric by its labels, as they are exposed; those that are zero are left out. */
export async function metricOf(registry: Registry, name: string): Promise<readonly string[]> {
  const text = await registry.getSingleMetricAsString(name);
  return text.split("\n").filter((line) => line.startsWith(name) && !line.endsWith(" 0"));
}

/** What a model was asked the given time, one line a message. */
export function askedOf(engine: ScriptedEngine, index: number): readonly string[] {
  return engine.requests[index]?.messages.map(writeMessage) ?? [];
}

function writeMessage({ role, content }: Message): string {
  const parts = content.map((part) => ("text" in part ? part.text : `(${part.type})`));
  return `${role}: ${parts.join("")}`;
}
