import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { finish, start, text, usage } from "fullstop/testing";
import type { GenerationEvent } from "fullstop";
import { afterAll, describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { ASKED_DIALECTS, DIALECTS } from "../support/dialects.ts";
import type { AskedDialect, Dialect } from "../support/dialects.ts";
import { endingOf } from "../support/endings.ts";
import { openGatewayForFile } from "../support/gateway.ts";
import type { Gateway } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import { SERVED_FORMATS, openUpstream, streamOf } from "../support/upstream.ts";
import type { Reply } from "../support/upstream.ts";

const gateway = await openScripted();
/** Each is hasty in one respect only, so that on a busy machine it is that one which is seen. */
const hasty = {
  firstByteMilliseconds: await openScripted({}, { timeouts: { firstByteMilliseconds: 150 } }),
  silenceMilliseconds: await openScripted({}, { timeouts: { silenceMilliseconds: 150 } }),
};

const ANSWER = [start(), text("Hello, "), text("wörld"), usage(9, 4), finish()];
const PAGE = "<!doctype html><title>502 Bad Gateway</title><h1>nginx</h1>";

/** A call whose arguments are not whole when the limit is reached. */
const CUT_CALL: readonly GenerationEvent[] = [
  start(),
  { type: "tool-call-start", callId: "a", name: "get_weather" },
  { type: "tool-call-delta", callId: "a", json: '{"city":"Par' },
  usage(9, 4),
  finish("token_limit_reached"),
];

const REQUESTS: Readonly<Record<Dialect, (model: string, stream: boolean) => readonly [path: string, body: object]>> = {
  "openai-chat": (model, stream) => [
    "/v1/chat/completions",
    { model, stream, messages: [{ role: "user", content: "Hi" }] },
  ],
  "openai-responses": (model, stream) => ["/v1/responses", { model, stream, input: "Hi" }],
  "anthropic-messages": (model, stream) => [
    "/v1/messages",
    { model, stream, max_tokens: 99, messages: [{ role: "user", content: "Hi" }] },
  ],
  gemini: (model, stream) => [
    `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
  ],
};

/** Asks in a dialect. Gives how the answer ended for the gateway and on the wire. */
async function ask({ url, house }: Gateway, model: string, dialect: Dialect, stream: boolean) {
  const [path, asked] = REQUESTS[dialect](model, stream);
  const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(asked) });
  const { status, headers } = response;
  const body = await response.text();
  const generation = (await house.generations.find(headers.get("x-fullstop-generation-id") ?? ""))!;
  const ending = endingOf(dialect, status, headers.get("content-type") ?? "", body);
  return { dialect, status, headers, ending, events: await generation.read(), signal: generation.signal! };
}

/** Asks in every dialect, streaming and not. */
function askAll(gateway_: Gateway, model: string) {
  return Promise.all(
    DIALECTS.flatMap((dialect) => [true, false].map((stream) => ask(gateway_, model, dialect, stream))),
  );
}

/** The stream of an answer that ends with a word of the provider's own. */
function endingIn(dialect: AskedDialect, word: string): readonly [{ readonly raw: string }] {
  const places: Readonly<Record<AskedDialect, readonly [string, string]>> = {
    "openai-chat": ['"finish_reason":"length"', `"finish_reason":"${word}"`],
    "openai-responses": ['"reason":"max_output_tokens"', `"reason":"${word}"`],
    "anthropic-messages": ['"stop_reason":"max_tokens"', `"stop_reason":"${word}"`],
    gemini: ['"finishReason":"MAX_TOKENS"', `"finishReason":"${word}"`],
    "ollama-chat": ['"done_reason":"length"', `"done_reason":"${word}"`],
  };
  const [theirs, ours] = places[dialect];
  const body = streamOf(SERVED_FORMATS[dialect], [start(), text("Hello"), usage(9, 4), finish("token_limit_reached")]);
  return [{ raw: body.replaceAll(theirs, ours) }];
}

interface Fault {
  readonly name: string;
  readonly reply: Reply | ((dialect: AskedDialect) => Reply);
  readonly signal: object;
  /** What the client that does not stream gets, and the one that does where nothing had come before. */
  readonly status?: number;
  readonly text?: string;
}

const error = (detail: string, more: object = {}): object => ({ reason: "error_termination", detail, ...more });

const FAULTS: readonly Fault[] = [
  { name: "hangs up in the middle", reply: [start(), text("Hello")], signal: error("truncated"), text: "Hello" },
  { name: "hangs up at once", reply: [], signal: error("truncated"), status: 502 },
  { name: "resets the connection", reply: { steps: ANSWER, cutAt: 60, by: "reset" }, signal: error("network_error") },
  {
    name: "fails in the middle",
    reply: [
      start(),
      text("Hello"),
      finish("error_termination", { originalValue: "overloaded_error", message: "Busy" }),
    ],
    signal: { reason: "error_termination", message: "Busy" },
    text: "Hello",
  },
  {
    name: "ends in a word for a failure",
    reply: (dialect) => endingIn(dialect, "network_error"),
    signal: error("network_error"),
    text: "Hello",
  },
  {
    name: "ends in a word that nobody knows",
    reply: (dialect) => endingIn(dialect, "sudden_boredom"),
    signal: { reason: "unknown", confidence: "low" },
    text: "Hello",
  },
  { name: "cuts a call by its limit", reply: CUT_CALL, signal: { reason: "token_limit_reached" }, text: "" },
  { name: "sends a page", reply: { status: 200, body: PAGE }, signal: error("not_an_answer"), status: 502 },
  { name: "fails with a page", reply: { status: 502, body: PAGE }, signal: error("server_error"), status: 502 },
  { name: "refuses with a page", reply: { status: 403, body: PAGE }, signal: error("permission"), status: 403 },
  {
    name: "has had enough, and says so on a page",
    reply: { status: 429, headers: { "retry-after": "7" }, body: PAGE },
    signal: error("rate_limited"),
    status: 429,
  },
  {
    name: "fails in the middle and does not say how",
    reply: [start(), text("Hello"), { raw: 'data: {"error":{"message":"Upstream failed"}}\n\n' }],
    signal: error("provider_error", { message: "Upstream failed" }),
    text: "Hello",
  },
  { name: "fails without a word", reply: { status: 500 }, signal: error("server_error"), status: 500 },
  {
    name: "has had enough",
    reply: { status: 429, headers: { "retry-after": "7" }, body: { error: { message: "Slow down" } } },
    signal: error("rate_limited", { message: "Slow down" }),
    status: 429,
  },
  { name: "redirects", reply: { status: 307, headers: { location: "/" } }, signal: error("redirected"), status: 502 },
  {
    name: "sends JSON instead of a stream",
    reply: { whole: ANSWER },
    signal: { reason: "natural_completion" },
    text: "Hello, wörld",
  },
  {
    name: "sends garbage",
    reply: [{ raw: "\u0000\u0007 %PDF-1.7 \uFFFD\n\n" }],
    signal: { reason: "error_termination" },
  },
  { name: "sends broken frames", reply: [{ raw: "data: {not json}\n\n" }], signal: { reason: "error_termination" } },
  { name: "drips", reply: { drip: ANSWER }, signal: { reason: "natural_completion" }, text: "Hello, wörld" },
];

const CASES = ASKED_DIALECTS.flatMap((dialect) => FAULTS.map((fault) => ({ dialect, ...fault })));

describe.each(ASKED_DIALECTS)("a provider that speaks %s", (dialect) => {
  const upstream = gateway.upstreams[dialect];

  it.each(CASES.filter((each) => each.dialect === dialect))(
    "and $name leads to one honest end for every client",
    async ({ reply, signal, status, text: expected }) => {
      gateway.script(dialect, typeof reply === "function" ? reply(dialect) : reply);
      const isError = "reason" in signal && signal.reason === "error_termination";
      for (const answer of await askAll(gateway, `${dialect}/some-model`)) {
        expect(answer.signal).toMatchObject(signal);
        expect(answer.ending).toEqual({ count: 1, isError });
        if (status !== undefined) expect([answer.dialect, answer.status]).toEqual([answer.dialect, status]);
        const retryAfter = status === 429 ? "7" : null;
        expect(answer.headers.get("retry-after")).toBe(retryAfter);
        const texts = answer.events.map((event) => (event.type === "text" ? event.text : ""));
        if (expected !== undefined) expect(texts.join("")).toBe(expected);
        expect(answer.events.some(({ type }) => type === "tool-call-end")).toBe(false);
      }
      expect(gateway.house.generations.live()).toEqual([]);
      await upstream.idle();
    },
  );

  it("and is cut at any byte never ends well for a client, unless all but the last words have come", async () => {
    const bytes = Buffer.from(streamOf(SERVED_FORMATS[dialect], ANSWER));
    const positions = Array.from({ length: 40 }, (_, index) => Math.floor(((index + 0.5) * bytes.length) / 40));
    for (const by of ["end", "reset"] as const) {
      for (const cutAt of positions) {
        gateway.script(dialect, { steps: ANSWER, cutAt, by });
        const { events, signal, ending } = await ask(
          gateway,
          `${dialect}/some-model`,
          dialect === "ollama-chat" ? "openai-chat" : dialect,
          true,
        );
        const isError = signal.reason === "error_termination";
        expect(ending).toEqual({ count: 1, isError });
        const isWhole = events.filter(({ type }) => type === "text").length === 2;
        if (!isError) expect([signal.reason, isWhole]).toEqual(["natural_completion", true]);
      }
    }
    expect(gateway.house.generations.live()).toEqual([]);
    await upstream.idle();
  });

  it.each([
    { name: "never begins to answer", reply: { silent: true } as Reply, limit: "firstByteMilliseconds" },
    {
      name: "falls silent",
      reply: [start(), text("Hello"), () => new Promise<void>(() => undefined)] as Reply,
      limit: "silenceMilliseconds",
    },
  ] as const)("and $name is given up after a while", async ({ reply, limit }) => {
    const impatient = hasty[limit];
    impatient.script(dialect, reply);
    for (const { signal, ending, status } of await askAll(impatient, `${dialect}/some-model`)) {
      expect(signal).toMatchObject(error("timeout", { providerSpecific: { originalValue: limit } }));
      expect(ending).toEqual({ count: 1, isError: true });
      if (limit === "firstByteMilliseconds") expect(status).toBe(504);
    }
    expect(impatient.house.generations.live()).toEqual([]);
    await impatient.upstreams[dialect].idle();
  });

  it("and calls tools under a word for a natural end has called them", async () => {
    const calls = [
      { type: "tool-call-start", callId: "a", name: "get_weather" },
      { type: "tool-call-delta", callId: "a", json: '{"city":"Oslo"}' },
      { type: "tool-call-end", callId: "a" },
    ] as const;
    gateway.script(dialect, [start(), ...calls, usage(9, 4), finish("natural_completion")]);
    const told = await CLIENTS["openai-chat"](gateway.url)({ model: `${dialect}/some-model`, stream: true });
    expect(told).toMatchObject({ finish: "tool_calls", calls: [{ name: "get_weather", input: { city: "Oslo" } }] });
  });
});

/** An address that was ours a moment ago, and that nobody listens on any more. */
async function unusedAddress(): Promise<string> {
  const upstream = await openUpstream("openai-chat", () => ({ silent: true }));
  await upstream.close();
  return upstream.baseUrl;
}

const UNUSED = await unusedAddress();

/** The address of a server that says something to whoever comes, in no protocol that anybody knows. */
async function mutteringAddress(): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined).resume();
    socket.end("\u0000\u0001 220 mumble mumble\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const MUTTERING = await mutteringAddress();

describe("a provider that cannot be reached", () => {
  it.each([
    { name: "nobody listens", baseUrl: UNUSED, words: /ECONNREFUSED/u },
    { name: "it has no address", baseUrl: "http://nowhere.invalid/v1", words: /ENOTFOUND|EAI_AGAIN/u },
    {
      name: "it does not speak TLS",
      baseUrl: gateway.upstreams["openai-chat"].baseUrl.replace("http:", "https:"),
      words: /./u,
    },
    { name: "it does not speak HTTP", baseUrl: MUTTERING, words: /./u },
  ])("because $name is told as a failure of the network", async ({ baseUrl, words }) => {
    const lonely = await openGatewayForFile({ providers: { far: { baseUrl } } });
    for (const { signal, ending, status } of await askAll(lonely, "far/some-model")) {
      expect(signal).toMatchObject(error("network_error"));
      expect(signal.providerSpecific.originalValue).toMatch(words);
      expect(ending).toEqual({ count: 1, isError: true });
      expect(status).toBe(502);
    }
    expect(lonely.house.generations.live()).toEqual([]);
    await lonely.close();
  });
});
