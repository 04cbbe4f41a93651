import OpenAI, { BadRequestError } from "openai";
import { describe, expect, it } from "vitest";
import { createFetch, ruleHeaders } from "../../src/adapters/fetch/index.ts";
import type { FetchInput, GuardedFetchOptions } from "../../src/adapters/fetch/index.ts";
import type { TerminationSignal } from "../../src/index.ts";
import { ADDRESSES } from "../support/fetch-bytes.ts";
import type { Dialect } from "../support/provider-server.ts";
import { chatChunk, chatStream, chatWhole, geminiChunk } from "../support/wire-bodies.ts";

type Json = Readonly<Record<string, unknown>>;

/** A request as it went out. */
interface Sent {
  readonly input: FetchInput;
  readonly init: RequestInit | undefined;
}

/** A guarded `fetch` whose requests all get the same answer, and what was sent. */
function guard(options: GuardedFetchOptions, answer: () => Response = () => Response.json({})) {
  const sent: Sent[] = [];
  const signals: TerminationSignal[] = [];
  const fetch = createFetch({
    ...options,
    fetch: (input, init) => {
      sent.push({ input, init });
      return Promise.resolve(answer());
    },
    onFinish: (signal) => void signals.push(signal),
  });
  return { fetch, sent, signals };
}

async function send(dialect: Dialect, body: Json, options: GuardedFetchOptions): Promise<Json> {
  const { fetch, sent } = guard(options);
  await fetch(ADDRESSES[dialect].replace(/:stream(?<rest>G)/u, ":g").replace("?alt=sse", ""), {
    method: "POST",
    body: JSON.stringify(body),
  });
  return JSON.parse(sent[0]?.init?.body as string) as Json;
}

const chat = { model: "m", messages: [] };
const streamed = { ...chat, stream: true };
const gemini = { contents: [] };
/** The fields that say when to end. */
const NAMES = new Set([
  "stop",
  "stop_sequences",
  "stopSequences",
  "max_tokens",
  "max_output_tokens",
  "maxOutputTokens",
]);

const six = ["a", "b", "c", "d", "e", "f"];

describe("stop strings and limits of a request", () => {
  const cases: readonly [name: string, dialect: Dialect, body: Json, options: GuardedFetchOptions, sent: Json][] = [
    ["Chat: ours stay here", "openai-chat", streamed, { stop: ["x"] }, {}],
    ["Chat: its own stay with it", "openai-chat", { ...chat, stop: "a" }, { stop: ["x"] }, { stop: "a" }],
    ["Chat: no more than four", "openai-chat", { ...chat, stop: six }, {}, { stop: ["a", "b", "c", "d"] }],
    ["Chat: a limit is lowered", "openai-chat", { ...chat, max_tokens: 9 }, { maxTokens: 5 }, { max_tokens: 5 }],
    ["Chat: and never raised", "openai-chat", { ...chat, max_tokens: 3 }, { maxTokens: 5 }, { max_tokens: 3 }],
    ["Chat: no limit is added, whose name depends on the model", "openai-chat", chat, { maxTokens: 5 }, {}],
    ["Responses: has no stop strings", "openai-responses", { model: "m", stop: ["a"] }, { stop: ["x"] }, {}],
    ["Responses: a limit is added", "openai-responses", { model: "m" }, { maxTokens: 50 }, { max_output_tokens: 50 }],
    ["Responses: but none below sixteen", "openai-responses", { model: "m" }, { maxTokens: 5 }, {}],
    [
      "Messages: ours go along",
      "anthropic-messages",
      { ...streamed, stop_sequences: ["a"] },
      { stop: ["x", " \n", { text: "think", scope: "reasoning" }] },
      { stop_sequences: ["a", "x"] },
    ],
    ["Messages: not if they mean something else", "anthropic-messages", chat, { stop: ["x"], include: true }, {}],
    [
      "Messages: a limit leaves room to think",
      "anthropic-messages",
      { ...chat, max_tokens: 9000, thinking: { type: "enabled", budget_tokens: 4000 } },
      { maxTokens: 500 },
      { max_tokens: 9000 },
    ],
    ["Gemini: ours go along for a whole answer", "gemini", gemini, { stop: six }, { stopSequences: six.slice(0, 5) }],
    ["Gemini: a limit is added", "gemini", gemini, { maxTokens: 5 }, { maxOutputTokens: 5 }],
  ];
  it.each(cases)("%s", async (_name, dialect, body, options, expected) => {
    const out = await send(dialect, body, options);
    const settings = (dialect === "gemini" ? (out["generationConfig"] ?? {}) : out) as Json;
    expect(Object.fromEntries(Object.entries(settings).filter(([name]) => NAMES.has(name)))).toEqual(expected);
    expect(out).toMatchObject(dialect === "gemini" ? gemini : { model: "m" });
  });

  it("does not send ours in a Gemini stream, where it would not tell which has matched", async () => {
    const { fetch, sent } = guard({ stop: ["x"] });
    await fetch(ADDRESSES.gemini, { method: "POST", body: JSON.stringify(gemini) });
    expect(sent[0]?.init?.body).toBe(JSON.stringify(gemini));
  });

  it("watches strings that were taken out, and those that a server ignores", async () => {
    for (const stop of [six, ["f"]]) {
      const body = chatStream(chatChunk({ content: " of" }), chatChunk({}, { finish_reason: "stop" }));
      const { fetch, signals } = guard({}, () => new Response(body));
      const response = await fetch(ADDRESSES["openai-chat"], {
        method: "POST",
        body: JSON.stringify({ ...streamed, stop }),
      });
      expect(await response.text()).not.toContain("of");
      expect(signals[0]?.reason).toBe("stop_sequence");
    }
  });
});

describe("what passes untouched", () => {
  const upload = new FormData();
  const cases: readonly [name: string, url: string, init: RequestInit | undefined][] = [
    ["a list of models", "http://provider.test/v1/models", undefined],
    ["an upload", "http://provider.test/v1/files", { method: "POST", body: upload }],
    ["an upload to the address of answers", ADDRESSES["openai-chat"], { method: "POST", body: upload }],
    ["counting tokens", "http://provider.test/v1/messages/count_tokens", { method: "POST", body: '{"messages":[]}' }],
    [
      "a message of a thread",
      "http://provider.test/v1/threads/t/messages",
      { method: "POST", body: '{"role":"user"}' },
    ],
    ["an embedding", "http://provider.test/v1/embeddings", { method: "POST", body: '{"input":"x"}' }],
    ["reading a response", "http://provider.test/v1/responses", { method: "GET" }],
    ["what is no JSON", ADDRESSES["openai-chat"], { method: "POST", body: "hello" }],
  ];
  it.each(cases)("%s", async (_name, url, init) => {
    const answer = new Response("as it is");
    const { fetch, sent, signals } = guard({ stop: ["is"] }, () => answer);
    expect(await fetch(url, init)).toBe(answer);
    expect(sent[0]?.input).toBe(url);
    expect(sent[0]?.init).toBe(init);
    expect(signals).toEqual([]);
    expect(fetch.signalOf(answer)).toBeUndefined();
  });

  it("a request that nothing has to be changed in", async () => {
    const { fetch, sent } = guard({ stop: ["x"] });
    const init = { method: "POST", body: JSON.stringify(streamed), headers: { authorization: "Bearer k" } };
    await fetch(ADDRESSES["openai-chat"], init);
    expect(sent[0]?.init).toBe(init);
  });

  it("headers, status and address of an answer", async () => {
    const headers = { "x-request-id": "req_1", "content-type": "application/json" };
    const answer = Response.json(chatWhole({}, { finish_reason: "stop" }), { status: 201, headers });
    Object.defineProperty(answer, "url", { value: "http://elsewhere.test/" });
    const { fetch } = guard({ stop: ["never"] }, () => answer);
    const response = await fetch(new URL(ADDRESSES["openai-chat"]), { method: "POST", body: JSON.stringify(chat) });
    expect([response.status, response.url, response.headers.get("x-request-id")]).toEqual([
      201,
      "http://elsewhere.test/",
      "req_1",
    ]);
  });

  it.each([
    [500, "text/html", "<html><title>Bad day</title></html>"],
    [429, "application/json", '{"error":{"message":"Slow down"}}'],
    [200, "text/html", "<html><title>Log in</title></html>"],
    [503, "text/plain", ""],
  ])("an answer of %i as %s", async (status, type, body) => {
    const headers = { "content-type": type, "content-length": String(body.length) };
    const { fetch, signals } = guard({ stop: ["d"] }, () => new Response(body, { status, headers }));
    const response = await fetch(ADDRESSES["openai-chat"], { method: "POST", body: JSON.stringify(chat) });
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(signals.map(({ reason }) => reason)).toEqual(["error_termination"]);
  });
});

describe("requests in other forms", () => {
  it("takes a Request", async () => {
    const { fetch, sent, signals } = guard({ maxTokens: 5 }, () =>
      Response.json(chatWhole({}, { finish_reason: "stop" })),
    );
    const headers = { "content-type": "application/json", authorization: "Bearer k" };
    const body = JSON.stringify({ ...chat, max_tokens: 9 });
    await (await fetch(new Request(ADDRESSES["openai-chat"], { method: "POST", headers, body }))).text();
    const request = sent[0]?.input as Request;
    expect(await request.json()).toEqual({ ...chat, max_tokens: 5 });
    expect(request.headers.get("authorization")).toBe("Bearer k");
    expect(signals.length).toBe(1);
  });

  it("takes a Request of another realm, and sends one of its kind", async () => {
    class ForeignRequest {
      readonly inner: Request;
      constructor(input: string | ForeignRequest, init: RequestInit) {
        this.inner = new Request(typeof input === "string" ? input : input.inner, init);
      }
      get url() {
        return this.inner.url;
      }
      get method() {
        return this.inner.method;
      }
      get headers() {
        return this.inner.headers;
      }
      clone() {
        return this.inner.clone();
      }
    }
    const { fetch, sent } = guard({ maxTokens: 5 });
    const body = JSON.stringify({ ...chat, max_tokens: 9 });
    const request = new ForeignRequest(ADDRESSES["openai-chat"], { method: "POST", body });
    await fetch(request as unknown as Request);
    const remade = sent[0]!.input as unknown as ForeignRequest;
    expect(await remade.inner.json()).toEqual({ ...chat, max_tokens: 5 });
  });

  const json = JSON.stringify({ ...chat, max_tokens: 9 });
  const address = ADDRESSES["openai-chat"];
  it.each<[name: string, input: FetchInput, init?: RequestInit]>([
    ["a Request that calls its body text, as it does by itself", new Request(address, { method: "POST", body: json })],
    ["a Request of bytes", new Request(address, { method: "POST", body: new TextEncoder().encode(json) })],
    ["a blob", address, { method: "POST", body: new Blob([json]) }],
  ])("guards %s", async (_, input, init) => {
    const { fetch, signals } = guard({ maxTokens: 5 }, () => Response.json(chatWhole({}, { finish_reason: "stop" })));
    await (await fetch(input, init)).text();
    expect(signals.length).toBe(1);
  });

  it("takes bytes", async () => {
    const { fetch, sent } = guard({ maxTokens: 5 });
    const body = new TextEncoder().encode(JSON.stringify({ ...chat, max_tokens: 9 }));
    const headers = { "content-length": String(body.length) };
    await fetch(ADDRESSES["openai-chat"], { method: "POST", headers, body });
    expect(sent[0]?.init?.body).toBe(JSON.stringify({ ...chat, max_tokens: 5 }));
    expect(new Headers(sent[0]?.init?.headers).has("content-length")).toBe(false);
  });

  it("takes the dialect from the options, whatever the address", async () => {
    const stream = chatStream(chatChunk({ content: "x and more" }), chatChunk({}, { finish_reason: "stop" }));
    const { fetch, signals } = guard({ stop: ["x"], format: "openai-chat" }, () => new Response(stream));
    const response = await fetch("http://proxy.test/ask", { method: "POST", body: JSON.stringify(streamed) });
    expect(await response.text()).not.toContain("more");
    expect(signals[0]?.reason).toBe("stop_sequence");
  });

  it("cuts a stream of Gemini that comes as one list", async () => {
    const list = [
      geminiChunk({}, { text: "Hello STO" }),
      geminiChunk({}, { text: "P there" }),
      geminiChunk({ finishReason: "STOP" }),
    ];
    const { fetch } = guard({ stop: ["STOP"] }, () => Response.json(list));
    const response = await fetch(ADDRESSES.gemini, { method: "POST", body: JSON.stringify(gemini) });
    const cut = (await response.json()) as readonly Json[];
    expect(JSON.stringify(cut)).not.toContain("there");
    expect(cut[0]).toMatchObject(geminiChunk({}, { text: "Hello " }));
    expect(cut.at(-1)).toMatchObject({ responseId: "r1", candidates: [{ finishReason: "STOP" }] });
    const whole = guard({ stop: ["never"] }, () => Response.json(list));
    const same = await whole.fetch(ADDRESSES.gemini, { method: "POST", body: JSON.stringify(gemini) });
    expect(await same.json()).toEqual(list);
  });
});

describe("rules for one call", () => {
  const stream = chatStream(chatChunk({ content: " wörld 🌍 END" }), chatChunk({}, { finish_reason: "stop" }));

  it("come in a header that is not sent on", async () => {
    const { fetch, sent, signals } = guard({ stop: ["END"], maxTokens: 100 }, () => new Response(stream));
    const headers = ruleHeaders({ stop: ["wörld 🌍"] });
    const client = new OpenAI({ apiKey: "none", fetch, maxRetries: 0 });
    let text = "";
    const chunks = await client.chat.completions.create({ ...chat, stream: true }, { headers });
    for await (const chunk of chunks) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe("Hello ");
    expect(signals[0]?.stopSequence).toBe("wörld 🌍");
    expect([...new Headers(sent[0]?.init?.headers).keys()].filter((name) => name.includes("fullstop"))).toEqual([]);
    expect(new Headers(sent[0]?.init?.headers).get("authorization")).toBe("Bearer none");
  });

  it.each([
    ["{", "JSON object"],
    ['{"stops":["x"]}', "stops"],
    ['{"maxTokens":-1}', "maxTokens"],
  ])("are refused as the provider would refuse them, and nothing is sent: %s", async (rules, words) => {
    const { fetch, sent } = guard({});
    const client = new OpenAI({ apiKey: "none", fetch });
    const asked = client.chat.completions.create(chat, { headers: { "x-fullstop-rules": rules } });
    const error = await asked.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BadRequestError);
    expect((error as Error).message).toContain(words);
    expect(sent).toEqual([]);
  });
});

describe("what is refused", () => {
  it.each([
    [{ stop: [""] }, "empty string"],
    [{ maxTokens: -1 }, "maxTokens"],
    [{ stops: ["x"] }, "stops"],
    [{ onfinish: true }, "fetch options has no such option; the options are fetch, format, onFinish, stop"],
    [null, "fetch options must be an object, got null"],
    [{ format: "cohere-chat" }, "format"],
    [{ fetch: 7 }, "fetch"],
    [{ onFinish: true }, "onFinish"],
  ])("options that cannot be: %j", (options, words) => {
    expect(() => createFetch(options as unknown as GuardedFetchOptions)).toThrow(words);
  });

  it.each([
    ["openai-chat", { ...chat, n: 3 }],
    ["gemini", { ...gemini, generationConfig: { candidateCount: 3 } }],
  ] as const)("several answers in one: %s", async (dialect, body) => {
    const { fetch, sent } = guard({ stop: ["x"] });
    const response = await fetch(ADDRESSES[dialect], { method: "POST", body: JSON.stringify(body) });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("got 3");
    expect(sent).toEqual([]);
  });
});

describe("what goes wrong on the way", () => {
  it("reports a request that never got anywhere, and passes the error on", async () => {
    const failure = new TypeError("fetch failed");
    const signals: TerminationSignal[] = [];
    const fetch = createFetch({
      fetch: () => Promise.reject(failure),
      onFinish: (signal) => void signals.push(signal),
    });
    await expect(fetch(ADDRESSES["openai-chat"], { method: "POST", body: JSON.stringify(chat) })).rejects.toBe(failure);
    expect(signals).toMatchObject([{ reason: "error_termination", detail: "network_error" }]);
  });

  it("gives the provider up when the reader leaves", async () => {
    let isClosed = false;
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(chatStream().replace("data: [DONE]\n\n", ""))),
      cancel: () => void (isClosed = true),
    });
    const { fetch, signals } = guard({ stop: ["x"] }, () => new Response(source));
    const response = await fetch(ADDRESSES["openai-chat"], { method: "POST", body: JSON.stringify(streamed) });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(isClosed).toBe(true);
    expect(signals).toMatchObject([{ reason: "cancelled", detail: "disconnect" }]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("mine");
      },
    ],
    ["rejects", () => Promise.reject(new Error("mine"))],
  ])("survives a listener that %s", async (_, onFinish) => {
    const warned: unknown[] = [];
    const { warn } = console;
    console.warn = (...values: readonly unknown[]) => void warned.push(values);
    try {
      const fetch = createFetch({
        fetch: () => Promise.resolve(new Response(chatStream(chatChunk({}, { finish_reason: "stop" })))),
        onFinish,
      });
      const response = await fetch(ADDRESSES["openai-chat"], { method: "POST", body: JSON.stringify(streamed) });
      expect(await response.text()).toContain("[DONE]");
      expect(warned).toEqual([["fullstop: onFinish threw:", new Error("mine")]]);
    } finally {
      console.warn = warn;
    }
  });
});
