import OpenAI from "openai";
import type { GenerationEvent } from "fullstop";
import { createGate, finish, reasoning, text, usage } from "fullstop/testing";
import type { Gate } from "fullstop/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readFrames } from "../support/gateway.ts";
import { KEYS, MODEL, as, createReplicaRoom, followEvents, look, openChat, textOf } from "../support/replicas.ts";
import type { ReplicaProcess } from "../support/replicas.ts";
import type { Reply } from "../support/upstream.ts";

const room = createReplicaRoom(afterAll);
let replicas: readonly ReplicaProcess[] = [];
let answer: () => Reply = () => ({ status: 404 });

beforeAll(async () => {
  const [redis, upstream] = await Promise.all([room.redis(), room.upstream(() => answer())]);
  const { a, b } = await room.serveTwo(upstream, redis.url);
  replicas = [a, b];
});

/** Half an answer, and the other half when the gate is opened. */
function halves(gate: Gate): Reply {
  const piece = (index: number): GenerationEvent => text(`${index} `);
  const pieces = Array.from({ length: 40 }, (_, index) => piece(index));
  return [reasoning("Hm"), ...pieces.slice(0, 20), gate.pass, ...pieces.slice(20), usage(3, 40), finish()];
}

const WHOLE = Array.from({ length: 40 }, (_, index) => `${index} `).join("");

function clientOf({ url }: ReplicaProcess): OpenAI {
  return new OpenAI({ apiKey: KEYS.alice, baseURL: `${url}/v1`, maxRetries: 0 });
}

type ResponseEvent = OpenAI.Responses.ResponseStreamEvent;

async function collect(stream: AsyncIterable<ResponseEvent>): Promise<readonly ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("a reader that comes back", () => {
  it("gets every event once and in order from any offset and any replica, while it runs and after", async () => {
    const gate = createGate();
    answer = () => halves(gate);
    const stream = await openChat(replicas[0]!.url);
    await stream.has(20);
    const offsets = [0, 1, 2, 7, 21, 22, 23, 30];
    const running = replicas.flatMap(({ url }) => offsets.map((from) => followEvents(url, stream.id, from)));
    gate.open();
    const whole = await followEvents(replicas[0]!.url, stream.id);
    expect(textOf(whole)).toBe(WHOLE);
    expect(whole.filter(({ type }) => type === "finish")).toHaveLength(1);
    const followed = await Promise.all(running);
    for (const [index, events] of followed.entries()) {
      expect(events).toEqual(whole.slice(offsets[index % offsets.length]));
    }
    for (const { url } of replicas) {
      for (let from = 0; from < whole.length; from += 1) {
        expect(await followEvents(url, stream.id, from)).toEqual(whole.slice(from));
      }
      // By the header of a browser, which asks no more when there is nothing more.
      const headers = { ...as("alice"), "last-event-id": String(whole.length) };
      expect((await fetch(`${url}/v1/generations/${stream.id}/events`, { headers })).status).toBe(204);
    }
  });

  it("hears of what comes at once, from another replica too", async () => {
    const gate = createGate();
    answer = () => [text("first"), gate.pass, text("second"), finish()];
    const stream = await openChat(replicas[0]!.url);
    await stream.has(1);
    const response = await fetch(`${replicas[1]!.url}/v1/generations/${stream.id}/events`, { headers: as("alice") });
    const seen: string[] = [];
    for await (const { data } of readFrames(response)) {
      const event = JSON.parse(data) as GenerationEvent;
      if (event.type === "text") seen.push(event.text);
      if (seen.length === 1) gate.open();
    }
    expect(seen).toEqual(["first", "second"]);
  });
});

describe("OpenAI's client of Responses", () => {
  it("goes on with a stream after any of its events, on any replica, while it runs and after", async () => {
    const gate = createGate();
    answer = () => halves(gate);
    const input = { model: MODEL, input: "Hi", stream: true, background: true } as const;
    const first = await clientOf(replicas[0]!).responses.create(input);
    const seen: ResponseEvent[] = [];
    for await (const event of first) {
      seen.push(event);
      if (seen.length === 12) break;
    }
    const [created] = seen;
    if (created?.type !== "response.created") throw new Error("the stream does not begin with its creation");
    const { id } = created.response;
    const after = seen.at(-1)!.sequence_number;
    const resumed = replicas.map(async (replica) => {
      const rest = await clientOf(replica).responses.retrieve(id, { stream: true, starting_after: after });
      return collect(rest);
    });
    gate.open();
    const rests = await Promise.all(resumed);
    const whole = [...seen, ...rests[0]!];
    expect(rests[1]).toEqual(rests[0]);
    expect(whole.map(({ sequence_number: number }) => number)).toEqual(whole.map((_, index) => index));
    const deltas = whole.map((event) => (event.type === "response.output_text.delta" ? event.delta : ""));
    expect(deltas.join("")).toBe(WHOLE);
    expect(whole.filter(({ type }) => type === "response.completed")).toHaveLength(1);
    for (const replica of replicas) {
      for (const start of [0, 5, after, whole.length - 2]) {
        const rest = await clientOf(replica).responses.retrieve(id, { stream: true, starting_after: start });
        expect(await collect(rest)).toEqual(whole.slice(start + 1));
      }
    }
  });

  it("starts one in the background, looks at it, cancels it and deletes it, on any replica", async () => {
    answer = () => [text("Some of it"), createGate().pass];
    for (const [index, starter] of replicas.entries()) {
      const [here, there] = [clientOf(starter), clientOf(replicas[1 - index]!)];
      const started = await here.responses.create({ model: MODEL, input: "Hi", background: true });
      expect(started).toMatchObject({ status: "in_progress", output: [] });
      // Whoever is told its id can ask anybody for it, at once.
      expect(await there.responses.retrieve(started.id)).toMatchObject({ id: started.id, status: "in_progress" });
      await expect(there.responses.delete(started.id)).rejects.toMatchObject({ status: 409 });
      await expect.poll(async () => (await look(starter.url, started.id)).body.text).toBe("Some of it");
      const cancelled = await there.responses.cancel(started.id);
      expect(cancelled).toMatchObject({
        id: started.id,
        status: "cancelled",
        output: [{ content: [{ text: "Some of it" }] }],
        fullstop: { reason: "cancelled", detail: "user" },
      });
      await there.responses.delete(started.id);
      await expect(here.responses.retrieve(started.id)).rejects.toMatchObject({ status: 404 });
    }
  });

  it("finds what ran to its end without a reader, and what has failed", async () => {
    answer = () => [text("All of it"), usage(1, 3), finish()];
    const [here, there] = [clientOf(replicas[0]!), clientOf(replicas[1]!)];
    const done = await here.responses.create({ model: MODEL, input: "Hi", background: true });
    await expect.poll(async () => (await there.responses.retrieve(done.id)).status).toBe("completed");
    const found = await there.responses.retrieve(done.id);
    expect(found.output_text).toBe("All of it");
    expect(found.usage).toMatchObject({ input_tokens: 1, output_tokens: 3 });
    answer = () => ({ status: 400, body: { error: { message: "No such thing", type: "invalid_request_error" } } });
    const failed = await here.responses.create({ model: MODEL, input: "Hi", background: true });
    await expect.poll(async () => (await there.responses.retrieve(failed.id)).status).toBe("failed");
    const { object, error } = await there.responses.retrieve(failed.id);
    expect(object).toBe("response");
    expect(error?.message).toContain("No such thing");
  });
});
