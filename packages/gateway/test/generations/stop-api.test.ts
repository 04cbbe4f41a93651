import type { GenerationEvent } from "fullstop";
import { createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { get, hashOf, post, readFrames, whenWriting } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const KEYS = { alice: "key-of-alice", bob: "key-of-bob", olga: "key-of-olga" };

const gateway = await openScripted({
  replica: "left-hand",
  keys: [
    { name: "alice", sha256: hashOf(KEYS.alice) },
    { name: "bob", sha256: hashOf(KEYS.bob) },
    { name: "olga", sha256: hashOf(KEYS.olga), operator: true },
  ],
});
const upstream = gateway.upstreams["openai-chat"];

const as = (name: keyof typeof KEYS) => ({ authorization: `Bearer ${KEYS[name]}` });

/** Starts a generation of Alice's that waits at a gate in its middle. The reader has got its head, and may leave. */
async function startWaiting(fullstop: object = {}, ending = [text(". Bye"), text(".")]) {
  const gate = createGate();
  const script = [start(), text("Hello"), text(", world"), gate.pass, ...ending, usage(9, 4), finish()];
  gateway.script("openai-chat", script);
  const reader = new AbortController();
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: as("alice"),
    signal: reader.signal,
    body: JSON.stringify({
      model: "openai-chat/some-model",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
      fullstop,
    }),
  });
  const id = response.headers.get("x-fullstop-generation-id")!;
  const generation = gateway.house.generations.local(id)!;
  await gate.reached;
  // Until both pieces have come through.
  for await (const _ of generation.log.follow(2)) break;
  return { id, gate, reader, response, generation, asked: upstream.requests.at(-1)! };
}

const { replica } = gateway.house.generations;

const address = (id: string, end = "") => `${gateway.url}/v1/generations/${id}${end}`;

describe("the list of generations", () => {
  it("has those that run, for their owner and for operators, without what they have written", async () => {
    const { id, gate, response } = await startWaiting();
    const list = async (name: keyof typeof KEYS) => (await get(`${gateway.url}/v1/generations`, as(name))).body;
    const expected = {
      generations: [
        expect.objectContaining({ id, model: "openai-chat/some-model", state: "running", phase: "answering" }),
      ],
    };
    expect(await list("alice")).toEqual(expected);
    expect(await list("olga")).toEqual(expected);
    expect(await list("olga")).toMatchObject({ generations: [{ owner: "alice" }] });
    expect(JSON.stringify(await list("alice"))).not.toContain("owner");
    expect(await list("bob")).toEqual({ generations: [] });
    expect(JSON.stringify(await list("olga"))).not.toContain("Hello");
    gate.open();
    await response.text();
    expect(await list("olga")).toEqual({ generations: [] });
  });

  it("is only for those who have a key", async () => {
    expect((await get(`${gateway.url}/v1/generations`)).status).toBe(401);
  });
});

describe("one generation", () => {
  it("is told with what it has written, also when it is over", async () => {
    const { id, gate, response } = await startWaiting();
    expect(await get(address(id), as("alice"))).toMatchObject({
      status: 200,
      body: { id, state: "running", phase: "answering", text: "Hello, world", usage: null },
    });
    gate.open();
    await response.text();
    expect(await get(address(id), as("olga"))).toMatchObject({
      status: 200,
      body: {
        id,
        state: "ended",
        phase: "ended",
        text: "Hello, world. Bye.",
        usage: { inputTokens: 9, outputTokens: 4 },
        signal: { reason: "natural_completion" },
      },
    });
  });

  it("is nothing to others, and cannot be told from one that never was", async () => {
    const { id, gate, response } = await startWaiting();
    for (const end of ["", "/events"]) {
      const theirs = await get(address(id, end), as("bob"));
      const none = await get(address("nothing", end), as("bob"));
      expect(theirs.status).toBe(404);
      expect(JSON.stringify(theirs)).toBe(JSON.stringify(none).replaceAll("nothing", id));
    }
    gate.open();
    await response.text();
  });
});

describe("a stop", () => {
  it("ends a generation, closes the connection to its provider and tells its reader", async () => {
    const { id, response, asked } = await startWaiting();
    const receipt = await post(address(id, "/stop"), { reason: "new_message" }, as("alice"));
    expect(replica).toMatch(/^left-hand-/u);
    expect(receipt).toMatchObject({
      status: 200,
      body: {
        id,
        result: "stopped",
        replica,
        text: "Hello, world",
        signal: { reason: "cancelled", detail: "new_message" },
        usage: { outputTokens: 3, estimated: true },
      },
    });
    expect(await asked.closed).toBe("gone");
    const body = await response.text();
    expect(body).toContain('"detail":"new_message"');
    expect(body).toMatch(/data: \[DONE\]\n\n$/u);
    expect(gateway.house.generations.live()).toEqual([]);
  });

  it("that comes again and again is carried out once, and everybody is told of the same end", async () => {
    const { id, response, generation } = await startWaiting();
    const reasons = ["first", "second", "third"];
    const receipts = await Promise.all(
      reasons.map((reason) => post(address(id, "/stop"), { reason }, as(reason === "second" ? "olga" : "alice"))),
    );
    const late = await post(address(id, "/stop"), { reason: "late" }, as("alice"));
    expect(late.body).toMatchObject({ result: "already_finished", text: "Hello, world" });
    const { result: _, ...told } = late.body as { result: string; signal: { detail: string } };
    expect(reasons).toContain(told.signal.detail);
    for (const { body } of receipts) {
      const { result, ...rest } = body as { result: string };
      expect(["stopped", "already_finished"]).toContain(result);
      expect(rest).toEqual(told);
    }
    expect(receipts.map(({ body }) => (body as { result: string }).result)).toContain("stopped");
    expect(generation.log.all().filter(({ type }) => type === "finish")).toHaveLength(1);
    await response.text();
  });

  it("before the first byte closes the connection to the provider", async () => {
    gateway.script("openai-chat", { silent: true });
    const before = upstream.requests.length;
    const asked = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: as("alice"),
      body: JSON.stringify({ model: "openai-chat/some-model", messages: [{ role: "user", content: "Hi" }] }),
    });
    while (upstream.requests.length === before) await new Promise((resolve) => setImmediate(resolve));
    const [live] = gateway.house.generations.live();
    expect(await post(address(live!.id, "/stop"), {}, as("alice"))).toMatchObject({
      body: { result: "stopped", text: "", usage: null, signal: { reason: "cancelled", detail: "user" } },
    });
    expect(await upstream.requests.at(-1)!.closed).toBe("gone");
    expect((await asked).status).toBe(200);
  });

  it("while thinking is skipped ends all of it", async () => {
    const gate = createGate();
    const second = createGate();
    const scripts = [
      [start(), reasoning("Hm"), gate.pass, finish()],
      [start(), second.pass, text("Hi"), finish()],
    ];
    gateway.script("openai-chat", () => scripts.shift() ?? []);
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: as("alice"),
      body: JSON.stringify({
        model: "openai-chat/some-model",
        messages: [{ role: "user", content: "Hi" }],
        stream: true,
      }),
    });
    const id = response.headers.get("x-fullstop-generation-id")!;
    await gate.reached;
    expect(await post(address(id, "/stop"), { mode: "skip-thinking" }, as("alice"))).toMatchObject({
      body: { result: "stopped", reasoning: "Hm" },
    });
    await second.reached;
    const asked = upstream.requests.at(-1)!;
    expect(await post(address(id, "/stop"), {}, as("alice"))).toMatchObject({
      body: { result: "stopped", reasoning: "Hm", text: "", signal: { reason: "cancelled", detail: "user" } },
    });
    expect(await asked.closed).toBe("gone");
    expect(await response.text()).toContain("[DONE]");
    gate.open();
    second.open();
  });

  it("needs no body", async () => {
    const { id, response } = await startWaiting();
    const answer = await fetch(address(id, "/stop"), { method: "POST", headers: as("alice") });
    expect(await answer.json()).toMatchObject({ result: "stopped", signal: { detail: "user" } });
    await response.text();
  });

  it("may come from an operator, but from nobody else", async () => {
    const { id, response, generation } = await startWaiting();
    expect(await post(address(id, "/stop"), {}, as("bob"))).toMatchObject({
      status: 404,
      body: { id, result: "not_found" },
    });
    expect(generation.signal).toBeUndefined();
    expect(await post(address(id, "/stop"), { reason: "operator" }, as("olga"))).toMatchObject({
      body: { result: "stopped", signal: { detail: "operator" } },
    });
    await response.text();
  });

  it("comes too late after the end, and changes nothing", async () => {
    const { id, gate, response } = await startWaiting();
    gate.open();
    await response.text();
    expect(await post(address(id, "/stop"), {}, as("alice"))).toMatchObject({
      status: 200,
      body: { result: "already_finished", text: "Hello, world. Bye.", signal: { reason: "natural_completion" } },
    });
  });

  it("of something unknown finds nothing", async () => {
    expect(await post(address("nothing", "/stop"), {}, as("alice"))).toMatchObject({
      status: 404,
      body: { id: "nothing", result: "not_found", replica },
    });
  });

  it("waits for the end of the sentence where that is wanted", async () => {
    const { id, gate, response, asked } = await startWaiting();
    const receipt = post(address(id, "/stop"), { mode: "finish-sentence" }, as("alice"));
    // The order has arrived when another one that came after it is answered.
    await post(address(id, "/stop"), { mode: "skip-thinking" }, as("alice"));
    gate.open();
    expect(await receipt).toMatchObject({
      body: { result: "stopped", text: "Hello, world.", signal: { reason: "cancelled", detail: "user" } },
    });
    await response.text();
    await asked.closed;
  });

  it("that waits for the end of the sentence does not wait for a provider that has gone silent", async () => {
    const { id, gate, response } = await startWaiting();
    expect(await post(address(id, "/stop"), { mode: "finish-sentence" }, as("alice"))).toMatchObject({
      body: { result: "stopped", text: "Hello, world", signal: { reason: "cancelled", detail: "user" } },
    });
    gate.open();
    await response.text();
  });

  it("that waits for the end of the sentence is too late when the answer is over before it", async () => {
    const { id, gate, response } = await startWaiting({}, [text(" and so on")]);
    const receipt = post(address(id, "/stop"), { mode: "finish-sentence" }, as("alice"));
    await post(address(id, "/stop"), { mode: "skip-thinking" }, as("alice"));
    gate.open();
    expect(await receipt).toMatchObject({
      body: { result: "already_finished", signal: { reason: "natural_completion" } },
    });
    await response.text();
  });

  it("has no thinking to skip in an answer", async () => {
    const { id, gate, response } = await startWaiting();
    expect(await post(address(id, "/stop"), { mode: "skip-thinking" }, as("alice"))).toMatchObject({
      body: { result: "not_thinking", text: "Hello, world" },
    });
    gate.open();
    expect(await response.text()).toContain("Bye");
  });

  it.each([
    ["bad reason!", "bad reason!"],
    ["x".repeat(200), "x".repeat(200)],
    ["", "user"],
    [" ", "user"],
  ])("is not refused for its reason: %j", async (reason, detail) => {
    const { id, response } = await startWaiting();
    expect(await post(address(id, "/stop"), { reason }, as("alice"))).toMatchObject({
      status: 200,
      body: { result: "stopped", signal: { reason: "cancelled", detail } },
    });
    await response.text();
  });

  it.each([
    { mode: "pause" },
    { mode: 7 },
    { reason: null },
    { reason: 7 },
    { reason: "x".repeat(201) },
    { mod: "skip-thinking" },
    [],
    "skip-thinking",
  ])("that cannot be understood is refused, and nothing is stopped: %j", async (order) => {
    const { id, gate, response, generation } = await startWaiting();
    const { status, body } = await post(address(id, "/stop"), order, as("alice"));
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { type: "invalid_request_error" } });
    gate.open();
    await response.text();
    expect(generation.signal?.reason).toBe("natural_completion");
  });

  it("does not wait for a reader that has stopped reading", async () => {
    // More than all buffers of two sockets can ever hold.
    const piece = "x".repeat(3000);
    const gate = createGate();
    const many = Array.from({ length: 5000 }, () => text(piece));
    gateway.script("openai-chat", [start(), ...many, gate.pass, finish()]);
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: as("alice"),
      body: JSON.stringify({
        model: "openai-chat/some-model",
        messages: [{ role: "user", content: "Hi" }],
        stream: true,
      }),
    });
    const id = response.headers.get("x-fullstop-generation-id")!;
    // Nothing of the body is read, so that sooner or later the model has to wait.
    const generation = gateway.house.generations.local(id)!;
    for (let length = -1; generation.log.length > length || length < 1000;) {
      length = generation.log.length;
      await get(address(id), as("alice"));
    }
    expect(generation.log.length).toBeLessThan(5000);
    expect(await post(address(id, "/stop"), {}, as("alice"))).toMatchObject({ body: { result: "stopped" } });
    gate.open();
    await response.body?.cancel();
  });
});

describe("the events of a generation", () => {
  const read = async (id: string, query = "", headers: object = {}) => {
    const response = await fetch(address(id, `/events${query}`), { headers: { ...as("alice"), ...headers } });
    const events: { id: number; event: GenerationEvent }[] = [];
    for await (const { id: number, data } of readFrames(response)) {
      events.push({ id: Number(number), event: JSON.parse(data) as GenerationEvent });
    }
    return events;
  };

  it("come once and in order to readers from any offset, while it runs and after", async () => {
    const { id, gate, response, generation } = await startWaiting();
    const offsets = [0, 1, 2, 3, 4];
    const running = offsets.map((offset) => read(id, `?from=${offset}`));
    const resumed = offsets.map((offset) => read(id, "", { "last-event-id": String(offset) }));
    gate.open();
    await response.text();
    const all = generation.log.all();
    expect(all.map(({ type }) => type)).toEqual(["start", "text", "text", "text", "text", "usage", "finish"]);
    const numbered = all.map((event, index) => ({ id: index + 1, event }));
    for (const offset of offsets) {
      expect(await running[offset]).toEqual(numbered.slice(offset));
      expect(await resumed[offset]).toEqual(numbered.slice(offset));
      expect(await read(id, `?from=${offset}`)).toEqual(numbered.slice(offset));
    }
    expect(await read(id)).toEqual(numbered);
    expect(await read(id, "?from=7")).toEqual([]);
    expect(await read(id, "?from=99")).toEqual([]);
  });

  it("go on for a browser that comes back to the address at which it has begun", async () => {
    const { id, gate, response, generation } = await startWaiting();
    gate.open();
    await response.text();
    const last = generation.log.length;
    expect((await read(id, "?from=1", { "last-event-id": "3" })).map((each) => each.id)).toEqual([4, 5, 6, 7]);
    expect((await read(id, "?from=1", { "last-event-id": "" })).map((each) => each.id)).toEqual([2, 3, 4, 5, 6, 7]);
    const over = await fetch(address(id, "/events?from=1"), {
      headers: { ...as("alice"), "last-event-id": String(last) },
    });
    expect(over.status).toBe(204);
  });

  it("are not collected by a proxy that stands in front", async () => {
    const { id, gate, response } = await startWaiting();
    const events = await fetch(address(id, "/events"), { headers: as("alice") });
    expect(events.headers.get("x-accel-buffering")).toBe("no");
    gate.open();
    await Promise.all([response.text(), events.text()]);
  });

  it.each([
    ["?from=-1", {}, 'from must be a whole number of at least 0, got "-1"'],
    ["?from=1.5", {}, 'from must be a whole number of at least 0, got "1.5"'],
    ["", { "last-event-id": "many" }, 'Last-Event-ID must be a whole number of at least 0, got "many"'],
    ["?held=yes", {}, 'held must be true or false, got "yes"'],
    ["?form=3", {}, 'Following events takes from, held, got "form"'],
  ])("are refused for %j and %j", async (query, headers, message) => {
    const { id, gate, response } = await startWaiting();
    expect(await get(address(id, `/events${query}`), { ...as("alice"), ...headers })).toMatchObject({
      status: 400,
      body: { error: { message } },
    });
    gate.open();
    await response.text();
  });

  it("go on when their reader has left", async () => {
    const { id, gate, response, generation } = await startWaiting();
    const reader = new AbortController();
    await fetch(address(id, "/events"), { headers: as("olga"), signal: reader.signal });
    reader.abort();
    gate.open();
    await response.text();
    expect(generation.signal?.reason).toBe("natural_completion");
  });
});

describe("a reader that leaves", () => {
  it("stops the generation where nothing else was said", async () => {
    const { reader, generation, asked } = await startWaiting();
    reader.abort();
    expect(await generation.ended).toMatchObject({ reason: "cancelled", detail: "disconnect" });
    expect(await asked.closed).toBe("gone");
  });

  it("leaves it to run where that was wanted, and can come back", async () => {
    const { id, gate, reader, generation, asked } = await startWaiting({ onDisconnect: "continue" });
    const gone = gateway.nextDisconnect();
    reader.abort();
    await gone;
    expect(generation.signal).toBeUndefined();
    gate.open();
    expect(await generation.ended).toMatchObject({ reason: "natural_completion" });
    expect(await asked.closed).toBe("answered");
    expect(await get(address(id), as("alice"))).toMatchObject({ body: { text: "Hello, world. Bye." } });
  });
});

describe("a response", () => {
  const respond = async (gate: ReturnType<typeof createGate>) => {
    gateway.script("openai-chat", [start(), reasoning("Hm."), text("Hello"), gate.pass, usage(9, 4), finish()]);
    const body = { model: "openai-chat/some-model", input: "Hi", stream: true };
    const init = { method: "POST", headers: as("alice"), body: JSON.stringify(body) };
    const response = await fetch(`${gateway.url}/v1/responses`, init);
    await whenWriting(gateway);
    await gate.reached;
    return { response, url: `${gateway.url}/v1/responses/${response.headers.get("x-fullstop-generation-id")}` };
  };

  it("can be looked at while it runs and when it is over", async () => {
    const gate = createGate();
    const { response, url } = await respond(gate);
    expect(await get(url, as("alice"))).toMatchObject({ body: { object: "response", status: "in_progress" } });
    expect((await get(url, as("bob"))).status).toBe(404);
    gate.open();
    await response.text();
    expect(await get(url, as("alice"))).toMatchObject({
      status: 200,
      body: {
        id: url.split("/").at(-1),
        object: "response",
        status: "completed",
        output: [{ type: "reasoning" }, { type: "message", content: [{ text: "Hello" }] }],
        usage: { input_tokens: 9, output_tokens: 4 },
      },
    });
  });

  it("can be cancelled by whoever asked for it", async () => {
    const gate = createGate();
    const { response, url } = await respond(gate);
    expect((await post(`${url}/cancel`, {}, as("bob"))).status).toBe(404);
    expect(await post(`${url}/cancel`, {}, as("alice"))).toMatchObject({
      status: 200,
      body: { status: "cancelled", output: [{ type: "reasoning" }, { type: "message", content: [{ text: "Hello" }] }] },
    });
    expect(await response.text()).toContain('"detail":"user"');
  });
});
