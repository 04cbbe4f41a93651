import { call, createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { hashOf, post, readFrames, whenWriting } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({
  models: { pip: { local: "pip", threads: 1 } },
  limits: { maxBodyBytes: 20_000 },
  keys: [
    { name: "alice", sha256: hashOf("alice-key") },
    { name: "bob", sha256: hashOf("bob-key") },
  ],
});
const url = `${gateway.url}/v1/responses`;
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const alice = as("alice-key");

interface Item {
  readonly id: string;
  readonly type: string;
}

/** Has a model answer, and gives the items of its answer. */
async function answerOf(more: object = {}, said = "Nice to meet you, Bob!"): Promise<readonly Item[]> {
  const weather = call("call_1", "get_weather", { city: "Paris" });
  gateway.script("openai-chat", [start(), reasoning("Hm."), text(said), ...weather, usage(1, 2), finish("tool_calls")]);
  const { body } = await post(url, { model: "openai-chat/m", input: "I am Bob.", ...more }, alice);
  return (body as { output: readonly Item[] }).output;
}

const refer = ({ id }: { readonly id: string }) => ({ type: "item_reference", id });
const result = { type: "function_call_output", call_id: "call_1", output: "sunny" };
const asked = { role: "user", content: "I am Bob." };

const ROLES = ["user", "assistant", "tool"];

describe("a request that refers to an answer that was given here", () => {
  it.each(["openai-chat", "openai-responses", "anthropic-messages", "gemini", "ollama-chat"] as const)(
    "is asked of %s as if the answer stood there",
    async (to) => {
      const items = await answerOf();
      expect(items.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
      gateway.script(to, [start(), text("It is sunny."), usage(9, 4), finish()]);
      const sent = { model: `${to}/m`, input: [asked, ...items.map(refer), result] };
      expect(await post(url, sent, alice)).toMatchObject({ status: 200, body: { status: "completed" } });
      const { request, body } = gateway.upstreams[to].requests.at(-1)!;
      expect(request.messages.map(({ role }) => role)).toEqual(ROLES);
      // Not every dialect takes thinking back.
      const said = request.messages[1]?.content.filter(({ type }) => type !== "reasoning");
      expect(said).toMatchObject([
        { type: "text", text: "Nice to meet you, Bob!" },
        { type: "tool-call", name: "get_weather", json: '{"city":"Paris"}' },
      ]);
      expect(JSON.stringify(body)).not.toContain("item_reference");
    },
  );

  it("is answered as if the answer stood there by a model on this machine, which also counts it so", async () => {
    const items = await answerOf();
    const whole = { model: "pip", input: [asked, ...items, result] };
    const referring = { ...whole, input: [asked, ...items.map(refer), result] };
    const count = await post(`${url}/input_tokens`, whole, alice);
    expect((await post(`${url}/input_tokens`, referring, alice)).body).toEqual(count.body);
    const { input_tokens } = count.body as { input_tokens: number };
    expect((await post(url, referring, alice)).body).toMatchObject({ usage: { input_tokens } });
  });

  it("can do so right after the stream of it has ended, and leave the type out", async () => {
    gateway.script("openai-chat", [start(), text("Nice to meet you, Bob!"), usage(1, 2), finish()]);
    const asking = JSON.stringify({ model: "openai-chat/m", input: "I am Bob.", stream: true });
    const ids = new Set<string>();
    for await (const { data } of readFrames(await fetch(url, { method: "POST", headers: alice, body: asking }))) {
      const { item_id: id } = JSON.parse(data) as { item_id?: string };
      if (id !== undefined) ids.add(id);
    }
    const input = [asked, ...[...ids].map((id) => ({ id })), { role: "user", content: "Who am I?" }];
    expect(await post(url, { model: "openai-chat/m", input }, alice)).toMatchObject({ status: 200 });
    expect(JSON.stringify(gateway.upstreams["openai-chat"].requests.at(-1)?.body)).toContain("Nice to meet you, Bob!");
  });
});

describe("a reference that leads nowhere is refused, and nobody is asked:", () => {
  /** What is said to a request and to a question for its tokens, and how many requests a provider has got of them. */
  const outcomeOf = async (input: readonly unknown[], key = "alice-key") => {
    const { requests } = gateway.upstreams["openai-chat"];
    const before = requests.length;
    const send = (address: string) => post(address, { model: "openai-chat/m", input }, as(key));
    const told = [await send(url), await send(`${url}/input_tokens`)];
    return { told, asked: requests.length - before };
  };

  const refusedAt = (place: number) => {
    const error = { param: `input[${place}]`, message: expect.stringContaining("store: false") as string };
    const refusal = { status: 404, body: { error } };
    return { told: [refusal, refusal], asked: 0 };
  };

  it("to an answer that was forgotten, or never was", async () => {
    const items = await answerOf();
    const { id } = items[1]!;
    expect(await outcomeOf([asked, { id: id.replace(/[0-9a-f]{32}/u, "0".repeat(32)) }])).toMatchObject(refusedAt(1));
    await fetch(`${url}/${id.replace(/^msg_|_\d+$/gu, "")}`, { method: "DELETE", headers: alice });
    expect(await outcomeOf([asked, refer({ id })])).toMatchObject(refusedAt(1));
  });

  it("to an item that the answer has not", async () => {
    const items = await answerOf();
    expect(await outcomeOf([asked, { id: items[1]!.id.replace(/\d+$/u, "7") }])).toMatchObject(refusedAt(1));
  });

  it("to an answer that was not to be stored", async () => {
    expect(await outcomeOf([asked, ...(await answerOf({ store: false })).map(refer)])).toMatchObject(refusedAt(1));
  });

  it("to somebody else's answer", async () => {
    expect(await outcomeOf([asked, ...(await answerOf()).map(refer)], "bob-key")).toMatchObject(refusedAt(1));
  });

  it("to an item for the second time", async () => {
    const [first] = await answerOf();
    expect(await outcomeOf([asked, refer(first!), refer(first!)])).toMatchObject(refusedAt(2));
  });

  it("to an answer that has not ended", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Nice"), gate.pass, finish()]);
    const told = post(url, { model: "openai-chat/m", input: "I am Bob." }, alice);
    await gate.reached;
    const { id } = await whenWriting(gateway);
    expect(await outcomeOf([asked, { id: `msg_${id}_0` }])).toMatchObject(refusedAt(1));
    gate.open();
    await told;
  });
});

describe("what a request refers to", () => {
  it("may not be larger than what can be sent", async () => {
    const answers = [await answerOf({}, "x".repeat(15_000)), await answerOf({}, "y".repeat(15_000))];
    const send = (items: readonly Item[]) =>
      post(url, { model: "openai-chat/m", input: [asked, ...items.map(refer)] }, alice);
    expect(await send(answers[0]!)).toMatchObject({ status: 200 });
    expect(await send(answers.flat())).toMatchObject({
      status: 413,
      body: { error: { param: "input", message: expect.stringContaining("limits.maxBodyBytes") as string } },
    });
  });

  it("stays a reference where it is to what a provider keeps", async () => {
    gateway.script("openai-responses", [start(), text("Yes"), finish()]);
    const input = [asked, refer({ id: "ws_0123456789abcdef" }), { role: "user", content: "So?" }];
    await post(url, { model: "openai-responses/m", input }, alice);
    expect(gateway.upstreams["openai-responses"].requests.at(-1)?.body["input"]).toContainEqual(input[1]);
  });
});
