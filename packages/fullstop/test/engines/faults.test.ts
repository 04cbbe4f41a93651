import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/agent/index.ts";
import { DEFAULT_TIMEOUTS, createRemoteEngine, defineProvider } from "../../src/engines/index.ts";
import type { Fetch } from "../../src/engines/index.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { call, finish, start, text, usage } from "../../src/testing/index.ts";
import { openaiChat } from "../../src/wire/index.ts";
import { tell } from "../support/answers.ts";
import { ask, readAll } from "../support/engine-contract.ts";
import { finishOf, textOf } from "../support/events.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { ASKED_DIALECTS, bodyOf } from "../support/provider-server.ts";
import type { Reply } from "../support/provider-server.ts";
import { withRemote } from "../support/remote.ts";
import { toBytes } from "../support/wire-bodies.ts";

const ANSWER = [
  start(),
  text("Hello, wörld"),
  ...call("a", "weather", { city: "Berlin" }),
  usage(9, 4),
  finish("tool_calls"),
];

const PAGE = "<!doctype html><title>502 Bad Gateway</title><h1>nginx</h1>";

const CASES = ASKED_DIALECTS.flatMap((dialect) => [true, false].map((stream) => ({ dialect, stream })));

describe.each(CASES)("a fault of a server that speaks $dialect, stream: $stream", ({ dialect, stream }) => {
  const request = ask("some-model", { stream });
  const signalOf = (reply: Reply): Promise<unknown> =>
    withRemote(dialect, reply, async ({ engine }) => finishOf(await readAll(engine, request)));

  it("that hangs up is a cut, wherever it does, and no call that was cut is ended", async () => {
    await withRemote(
      dialect,
      ({ maxOutputTokens = 0 }) => ({ steps: ANSWER, cutAt: maxOutputTokens, by: "end" }),
      async ({ engine, server }) => {
        const length = toBytes(bodyOf(server.served, ANSWER, stream)).length;
        const whole = tell(await readAll(engine, { ...request, maxOutputTokens: length }));
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 1, max: length - 1 }), async (cutAt) => {
            const told = tell(await readAll(engine, { ...request, maxOutputTokens: cutAt }));
            const { reason, detail } = told.signal;
            expect(whole.text.startsWith(told.text)).toBe(true);
            for (const { isEnded, arguments: json } of told.toolCalls) {
              if (isEnded) expect(json).toBe('{"city":"Berlin"}');
            }
            // Where the finish value came through, so did everything before it.
            if (reason === "tool_calls") expect(told.toolCalls).toEqual(whole.toolCalls);
            else expect({ reason, detail }).toEqual({ reason: "error_termination", detail: "truncated" });
          }),
          { numRuns: 25 },
        );
      },
    );
  });

  it("that breaks the connection is an error of the network, and keeps what came before", async () => {
    // Before the last frame, so that the end of the answer has not come.
    const steps = [start(), text("Hello"), text(" world"), finish()];
    const signal = await withRemote(
      dialect,
      () => ({ steps, cutAt: stream ? 60 : 20, by: "reset" }),
      async ({ engine }) => finishOf(await readAll(engine, request)),
    );
    expect(signal).toMatchObject({
      reason: "error_termination",
      detail: "network_error",
      providerSpecific: {
        originalField: "error",
        originalValue: expect.stringMatching(/^(?:ECONNRESET|UND_ERR_SOCKET)$/u) as string,
      },
    });
  });

  it.each([
    { status: 200, detail: "not_an_answer" },
    { status: 502, detail: "server_error" },
    { status: 403, detail: "permission" },
  ])("that answers with a page and status $status is told as such", async ({ status, detail }) => {
    expect(await signalOf({ status, body: PAGE })).toMatchObject({
      reason: "error_termination",
      detail,
      message: expect.stringContaining("502 Bad Gateway") as string,
      providerSpecific: { metadata: { status } },
    });
  });

  it("that has had enough says when to come back on a page as well", async () => {
    const signal = await signalOf({ status: 429, headers: { "retry-after": "7" }, body: PAGE });
    expect(signal).toMatchObject({
      detail: "rate_limited",
      providerSpecific: { metadata: { status: 429, retryAfterMilliseconds: 7_000 } },
    });
  });

  it.each([
    { status: 503, headers: { "retry-after-ms": "1" }, asked: 2, end: "completed" },
    { status: 502, headers: {}, asked: 2, end: "completed" },
    { status: 403, headers: {}, asked: 1, end: "failed" },
  ])(
    "that fails once with a page and status $status is asked $asked times",
    async ({ status, headers, asked, end }) => {
      const replies: Reply[] = [{ status, headers, body: PAGE }, [start(), text("Hello"), usage(1, 1), finish()]];
      await withRemote(
        dialect,
        () => replies.shift() ?? [],
        async ({ engine, server }) => {
          const client = createClient({ providers: { local: engine }, settings: { retryMilliseconds: 1 } });
          const result = await client.chat({ model: "some-model", messages: "Hi", stream });
          expect([result.end, server.requests.length]).toEqual([end, asked]);
        },
      );
    },
  );

  it("that fails in the middle, and does not say how, is not told by the status of the beginning", async () => {
    const error = { error: { message: "Upstream failed" } };
    const frame = { raw: `data: ${JSON.stringify(error)}\n\n` };
    const reply: Reply = stream ? [start(), text("Hello"), frame] : { status: 200, body: error };
    expect(await signalOf(reply)).toMatchObject({
      reason: "error_termination",
      detail: "provider_error",
      message: "Upstream failed",
      providerSpecific: { originalField: "error", originalValue: "" },
    });
  });

  it.each([
    { headers: { "retry-after": "7" }, milliseconds: 7_000 },
    { headers: { "retry-after-ms": "250", "retry-after": "7" }, milliseconds: 250 },
    { headers: { "retry-after": "Thu, 01 Jan 1970 00:00:30 GMT" }, milliseconds: 20_000 },
    { headers: { "retry-after": "Thu, 01 Jan 1970 00:00:05 GMT" }, milliseconds: 0 },
    { headers: { "retry-after": "soon" }, milliseconds: undefined },
    { headers: { "retry-after": "9".repeat(30) }, milliseconds: undefined },
    { headers: { "retry-after-ms": "9".repeat(400), "retry-after": "7" }, milliseconds: 7_000 },
    { headers: {}, milliseconds: undefined },
  ])("that has had enough says when to come back: $headers", async ({ headers, milliseconds }) => {
    const { served } = await withRemote(dialect, [], ({ server }) => Promise.resolve(server));
    const error = finish("error_termination", { originalValue: "rate_limit_error", message: "Slow down" });
    const { body } = served.encodeResponse([error]);
    const { fullstop: _ours, error: fields, ...others } = body as { fullstop: unknown; error: object | string };
    const words = typeof fields === "string" ? fields : { ...fields, fullstop: undefined };
    const signal = await withRemote(
      dialect,
      { status: 429, headers, body: { ...others, error: words } },
      async ({ engine }) => finishOf(await readAll(engine, request)),
      { engine: { clock: createManualClock(10_000) } },
    );
    expect(signal).toMatchObject({ reason: "error_termination", detail: "rate_limited", message: "Slow down" });
    expect(signal.providerSpecific.metadata).toMatchObject({ status: 429 });
    expect(signal.providerSpecific.metadata?.["retryAfterMilliseconds"]).toBe(milliseconds);
  });

  it("that fails without a word is known by its status", async () => {
    expect(await signalOf({ status: 500 })).toMatchObject({
      reason: "error_termination",
      detail: "server_error",
      providerSpecific: { metadata: { status: 500 } },
    });
  });

  it("that answers with nothing is a cut", async () => {
    expect(await signalOf({ status: 200 })).toMatchObject({ reason: "error_termination", detail: "truncated" });
  });

  it("that sends us elsewhere is not followed", async () => {
    await withRemote(dialect, { status: 307, headers: { location: "/v1/elsewhere" } }, async ({ engine, server }) => {
      const signal = finishOf(await readAll(engine, request));
      expect(signal).toMatchObject({ reason: "error_termination", detail: "redirected" });
      expect(server.requests).toHaveLength(1);
    });
  });

  it("that sends a whole answer in any case is understood", async () => {
    await withRemote(dialect, { whole: ANSWER }, async ({ engine }) => {
      expect(tell(await readAll(engine, request))).toMatchObject({
        text: "Hello, wörld",
        toolCalls: [{ isEnded: true }],
        signal: { reason: "tool_calls" },
      });
    });
  });
});

describe("a connection", () => {
  const engineFor = (baseUrl: string, fetch?: Fetch) =>
    createRemoteEngine({ provider: defineProvider({ id: "local", format: openaiChat, baseUrl }), fetch });

  it("that nobody takes ends with the system's word for it", async () => {
    // A port that was ours a moment ago, and that nobody listens on any more.
    const baseUrl = await withRemote("openai-chat", [], ({ server }) => Promise.resolve(server.baseUrl));
    const events = await readAll(engineFor(baseUrl));
    expect(events).toHaveLength(1);
    expect(finishOf(events)).toMatchObject({
      reason: "error_termination",
      detail: "network_error",
      providerSpecific: { originalField: "error", originalValue: "ECONNREFUSED" },
      message: expect.stringContaining("ECONNREFUSED") as string,
    });
  });

  it.each<{ what: string; error: unknown; detail: string; value: string; message: string }>([
    {
      what: "the cause of the cause",
      error: new TypeError("fetch failed", {
        cause: Object.assign(new Error("getaddrinfo ENOTFOUND example.invalid"), { code: "ENOTFOUND" }),
      }),
      detail: "network_error",
      value: "ENOTFOUND",
      message: "The connection failed: getaddrinfo ENOTFOUND example.invalid",
    },
    {
      what: "an error without a code",
      error: new TypeError("Failed to fetch"),
      detail: "network_error",
      value: "TypeError",
      message: "The connection failed: Failed to fetch",
    },
    {
      what: "a time-out of the runtime",
      error: new TypeError("fetch failed", {
        cause: Object.assign(new Error(""), { code: "UND_ERR_HEADERS_TIMEOUT" }),
      }),
      detail: "timeout",
      value: "UND_ERR_HEADERS_TIMEOUT",
      message: "The connection failed: fetch failed",
    },
    {
      what: "a time-out of the system",
      error: Object.assign(new Error("connect ETIMEDOUT"), { code: "ETIMEDOUT" }),
      detail: "timeout",
      value: "ETIMEDOUT",
      message: "The connection failed: connect ETIMEDOUT",
    },
    {
      what: "something that is no error",
      error: "gone",
      detail: "network_error",
      value: "string",
      message: "The connection failed: string",
    },
  ])("that fails is told by $what", async ({ error, detail, value, message }) => {
    const refused = engineFor("http://127.0.0.1/v1", () => Promise.reject(error));
    // Whatever a caller's own fetch does, it does not come out.
    const thrown = engineFor("http://127.0.0.1/v1", () => {
      throw error;
    });
    for (const engine of [refused, thrown]) {
      expect(finishOf(await readAll(engine))).toMatchObject({
        reason: "error_termination",
        detail,
        message,
        providerSpecific: { originalField: "error", originalValue: value },
      });
    }
  });

  it("that turns out to be none ends with an error", async () => {
    const engine = engineFor("http://127.0.0.1/v1", () => Promise.resolve(undefined as unknown as Response));
    expect(finishOf(await readAll(engine))).toMatchObject({ reason: "error_termination" });
  });

  const frames = (events: readonly GenerationEvent[]): Uint8Array => toBytes(bodyOf(openaiChat, events, true));

  it("is read no faster than the answer is", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(frames([start(), text("again ")]));
        },
      },
      { highWaterMark: 0 },
    );
    const engine = engineFor("http://127.0.0.1/v1", () => Promise.resolve(new Response(body)));
    for await (const event of engine.generate(ask(), new AbortController().signal)) {
      if (event.type === "text" && pulled === 3) break;
    }
    expect(pulled).toBe(3);
  });

  it.each(["caller", "clock", "reader"])(
    "is closed on behalf of the %s, also by a fetch without a signal",
    async (who) => {
      const clock = createManualClock();
      const controller = new AbortController();
      const provider = defineProvider({ id: "local", format: openaiChat, baseUrl: "http://127.0.0.1/v1" });
      await new Promise<void>((resolve, reject) => {
        const body = new ReadableStream<Uint8Array>({
          start: (stream) => stream.enqueue(frames([start(), text("Hel")])),
          cancel: () => resolve(),
        });
        const engine = createRemoteEngine({ provider, fetch: () => Promise.resolve(new Response(body)), clock });
        const read = async (): Promise<void> => {
          for await (const event of engine.generate(ask(), controller.signal)) {
            if (event.type === "text" && who === "caller") controller.abort();
            if (event.type === "text" && who === "clock") void clock.fire(DEFAULT_TIMEOUTS.silenceMilliseconds);
            if (event.type === "text" && who === "reader") break;
          }
        };
        read().catch(reject);
      });
      await expect.poll(() => clock.running()).toEqual([]);
    },
  );

  it("that comes too late is closed", async () => {
    const controller = new AbortController();
    let answer: ((response: Response) => void) | undefined;
    let reading: Promise<readonly GenerationEvent[]> | undefined;
    await new Promise<void>((onAsked) => {
      const engine = engineFor("http://127.0.0.1/v1", () => {
        onAsked();
        return new Promise((resolve) => (answer = resolve));
      });
      reading = readAll(engine, ask(), controller.signal);
    });
    controller.abort();
    expect(finishOf(await reading!).reason).toBe("cancelled");
    await new Promise<void>((resolve) => {
      answer?.(new Response(new ReadableStream({ cancel: () => resolve() })));
    });
  });

  it("is left alone to its end after the finish, so that it can be used again", async () => {
    const seen: string[] = [];
    let end: (() => void) | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(frames([start(), text("Hello"), finish()]));
        end = () => controller.close();
      },
      cancel: () => void seen.push("cancelled"),
    });
    let signal: AbortSignal | null | undefined;
    const engine = engineFor("http://127.0.0.1/v1", (_url, init) => {
      signal = init.signal;
      return Promise.resolve(new Response(body));
    });
    expect(textOf(await readAll(engine))).toBe("Hello");
    end?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect({ seen, isAborted: signal?.aborted }).toEqual({ seen: [], isAborted: false });
  });

  it("that does not end after the finish is closed after a second, or after too many bytes", async () => {
    const clock = createManualClock();
    const provider = defineProvider({ id: "local", format: openaiChat, baseUrl: "http://127.0.0.1/v1" });
    const ended = (more: Uint8Array): Promise<void> =>
      new Promise((resolve, reject) => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(frames([start(), text("Hello"), finish()]));
            controller.enqueue(more);
          },
          cancel: () => resolve(),
        });
        const fetch: Fetch = () => Promise.resolve(new Response(body));
        readAll(createRemoteEngine({ provider, fetch, clock })).catch(reject);
      });
    const late = ended(toBytes(": still here\n\n"));
    await clock.fire(1_000);
    await late;
    await ended(new Uint8Array(100_000));
    await expect.poll(() => clock.running()).toEqual([]);
  });
});

describe("a refusal whose body breaks off", () => {
  const refuse: Fetch = async () => ({
    status: 429,
    headers: new Headers({ "retry-after": "7" }),
    body: (async function* () {
      yield toBytes('{"error":{"mess');
      throw new Error("other side closed");
    })(),
  });
  const provider = defineProvider({ id: "local", format: openaiChat, baseUrl: "http://localhost:1/v1" });

  it("is one all the same, and says when to come back", async () => {
    const engine = createRemoteEngine({ provider, fetch: refuse });
    expect(finishOf(await readAll(engine, ask("some-model")))).toMatchObject({
      reason: "error_termination",
      detail: "rate_limited",
      providerSpecific: { metadata: { status: 429, retryAfterMilliseconds: 7_000 } },
    });
  });
});
