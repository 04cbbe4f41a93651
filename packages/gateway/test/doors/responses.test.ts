import { createGate, finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { get, post, readFrames, whenWriting } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();
const url = `${gateway.url}/v1/responses`;

const ask = { model: "openai-chat/some-model", input: "Hi" };

describe("a response that is not to be stored", () => {
  it("is not found by its id, and known only to the generation's own address", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, usage(1, 1), finish()]);
    const told = post(url, { ...ask, store: false });
    await gate.reached;
    const { id } = await whenWriting(gateway);
    expect(await get(`${url}/${id}`)).toMatchObject({ status: 404 });
    expect(await post(`${url}/${id}/cancel`, {})).toMatchObject({ status: 404 });
    gate.open();
    expect(await told).toMatchObject({ status: 200, body: { id, store: false, status: "completed" } });
    expect(await get(`${url}/${id}`)).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(await get(`${gateway.url}/v1/generations/${id}`)).toMatchObject({ status: 200, body: { text: "Hello" } });
  });

  it("cannot run in the background, where nobody would find it again", async () => {
    const count = gateway.upstreams["openai-chat"].requests.length;
    expect(await post(url, { ...ask, store: false, background: true })).toMatchObject({
      status: 400,
      body: { error: { param: "background" } },
    });
    expect(gateway.upstreams["openai-chat"].requests).toHaveLength(count);
  });

  it.each([{}, { store: true }])("is another one than a response with %j", async (more) => {
    gateway.script("openai-chat", [start(), text("Hello"), finish()]);
    const { body } = await post(url, { ...ask, ...more });
    expect(await get(`${url}/${(body as { id: string }).id}`)).toMatchObject({ status: 200 });
  });
});

describe("a response", () => {
  const said = {
    instructions: "Be brief.",
    metadata: { topic: "greeting" },
    temperature: 0.5,
    top_p: 0.9,
    max_output_tokens: 50,
    tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
    tool_choice: "auto",
    parallel_tool_calls: false,
    store: true,
  };

  it("repeats what its request says, whole", async () => {
    gateway.script("openai-chat", [start(), text("Hello"), finish()]);
    const { body } = await post(url, { ...ask, ...said });
    expect(body).toMatchObject({ ...said, background: false, object: "response", status: "completed" });
  });

  it("repeats what its request says, streaming, from its first event to its last", async () => {
    gateway.script("openai-chat", [start(), text("Hello"), finish()]);
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ ...ask, ...said, stream: true }) });
    const responses: unknown[] = [];
    for await (const { data } of readFrames(response)) {
      const { response: object } = JSON.parse(data) as { response?: unknown };
      if (object !== undefined) responses.push(object);
    }
    expect(responses.length).toBeGreaterThanOrEqual(3);
    for (const each of responses) expect(each).toMatchObject(said);
  });

  it("repeats its labels when it is looked at later, and claims nothing that was not said", async () => {
    gateway.script("openai-chat", [start(), text("Hello"), finish()]);
    const { body } = await post(url, { ...ask, metadata: said.metadata });
    const { id } = body as { id: string };
    expect(await get(`${url}/${id}`)).toMatchObject({ body: { id, metadata: said.metadata } });
    expect(body).toMatchObject({ instructions: null, tools: [], temperature: null });
    expect(body).not.toHaveProperty("store");
  });

  it.each([["END"], [["END", "OVER"]]])("ends at a stop string that its request has: %j", async (stop) => {
    gateway.script("openai-chat", [start(), text("Hello EN"), text("D and more"), finish()]);
    expect(await post(url, { ...ask, stop })).toMatchObject({
      status: 200,
      body: {
        output: [{ content: [{ text: "Hello " }] }],
        fullstop: { reason: "stop_sequence", stopSequence: "END" },
      },
    });
  });

  it.each([[[""]], [7], [[7]], [""]])("is refused with a stop string that is none: %j", async (stop) => {
    expect(await post(url, { ...ask, stop })).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error", message: expect.stringContaining("stop") as string } },
    });
  });
});

describe("an answer", () => {
  it("says which model has given it where the one that was asked has failed", async () => {
    const fallback = await openScripted({ fallbacks: { "openai-chat/first": ["gemini/second"] } });
    fallback.script("openai-chat", { status: 500, body: { error: { message: "No" } } });
    const gate = createGate();
    fallback.script("gemini", [start(), text("Hello"), gate.pass, finish()]);
    const told = post(`${fallback.url}/v1/chat/completions`, {
      model: "openai-chat/first",
      messages: [{ role: "user", content: "Hi" }],
    });
    await gate.reached;
    const { id } = await whenWriting(fallback);
    const answeredBy = "gemini/second";
    const one = `${fallback.url}/v1/generations/${id}`;
    expect(await get(one)).toMatchObject({ body: { model: "openai-chat/first", answeredBy } });
    expect(await get(`${fallback.url}/v1/generations`)).toMatchObject({ body: { generations: [{ id, answeredBy }] } });
    gate.open();
    expect(await told).toMatchObject({ body: { model: "openai-chat/first", fullstop: { answeredBy } } });
    expect(await get(one)).toMatchObject({ body: { answeredBy, signal: { answeredBy } } });
    const history = await get(`${fallback.url}/v1/generations?state=ended`);
    expect(history).toMatchObject({ body: { generations: [{ id, answeredBy }] } });
  });

  it("names nobody where nobody has answered", async () => {
    gateway.script("openai-chat", { status: 500, body: { error: { message: "No" } } });
    const { body } = await post(`${gateway.url}/v1/chat/completions`, {
      model: ask.model,
      messages: [{ role: "user", content: "Hi" }],
    });
    expect((body as { error: { fullstop: object } }).error.fullstop).not.toHaveProperty("answeredBy");
  });
});
