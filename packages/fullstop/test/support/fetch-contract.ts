import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFetch } from "../../src/adapters/fetch/index.ts";
import type { FinishedCall, GuardedFetchOptions } from "../../src/adapters/fetch/index.ts";
import type { GenerationEvent, TerminationSignal } from "../../src/index.ts";
import type { TestClient } from "./fetch-client.ts";
import { call, finish, reasoning, signature, start, text, usage } from "./official.ts";
import { openProviderServer } from "./provider-server.ts";
import type { Dialect, ProviderServer, Reply } from "./provider-server.ts";

const counts = usage({ inputTokens: 9, outputTokens: 4 });
const done = finish("natural_completion");

/** A promise that is never kept: the server waits until its reader has gone. */
const forever = (): Promise<void> => new Promise(() => undefined);

async function serve(dialect: Dialect, reply: Reply | (() => Reply)): Promise<ProviderServer> {
  const server = await openProviderServer(dialect, typeof reply === "function" ? reply : () => reply);
  onTestFinished(() => server.close());
  return server;
}

/** A guarded `fetch` and what it was told. */
export function guard(options: GuardedFetchOptions) {
  const ends: { readonly signal: TerminationSignal; readonly call: FinishedCall }[] = [];
  const fetch = createFetch({ ...options, onFinish: (signal, finished) => void ends.push({ signal, call: finished }) });
  return { fetch, ends };
}

/** Whether a client would run a call with these arguments. */
function isWhole(input: unknown): boolean {
  return typeof input === "object" && input !== null;
}

/** Describes what every client that is given a guarded `fetch` has to make of it. */
export function describeClients(clients: readonly TestClient[]): void {
  const streaming = clients.filter(({ isStream }) => isStream);
  const whole = clients.filter(({ isStream }) => !isStream);

  describe.each(clients)("$name", ({ name, dialect, ask, words, isStream }) => {
    const answers: readonly [name: string, events: readonly GenerationEvent[]][] = [
      ["text", [start, text("Hello, "), text("wörld </a"), text("b>"), counts, done]],
      [
        "thinking",
        [start, reasoning("Two and "), reasoning("two."), signature("proof", dialect), text("Four."), counts, done],
      ],
      ["calls", [start, text("Look: "), ...call("c1", "weather", '{"city":"Oslo"}'), counts, finish("tool_calls")]],
      ["a limit of the provider's", [start, text("Hello"), counts, finish("token_limit_reached")]],
    ];

    it.each(answers)("reads the same answer with and without rules: %s", async (_name, events) => {
      const { baseUrl } = await serve(dialect, events);
      const { fetch, ends } = guard({ stop: ["</answer>"], repetition: true });
      const plain = await ask({ fetch: globalThis.fetch, baseUrl });
      expect(await ask({ fetch, baseUrl })).toEqual(plain);
      const { signal } = events.at(-1) as { signal: TerminationSignal };
      expect(ends.map((end) => end.signal.reason)).toEqual([signal.reason]);
      expect(ends[0]?.call).toMatchObject({ format: dialect, isStream, status: 200, usage: { inputTokens: 9 } });
      expect(fetch.lastSignal).toBe(ends[0]?.signal);
    });

    it("ends at a stop string as the provider would, and says which", async () => {
      const steps = [start, text("The answer is 42</answer> and"), text(" more"), counts, done];
      const { baseUrl } = await serve(dialect, steps);
      const { fetch, ends } = guard({ stop: ["</answer>", "nothing"] });
      const answer = await ask({ fetch, baseUrl });
      expect(answer.text).toBe("The answer is 42");
      expect(answer.ending).toBe(words.stop);
      if (words.stop === "stop_sequence") expect(answer.stopSequence).toBe("</answer>");
      expect(ends.map(({ signal }) => [signal.reason, signal.stopSequence])).toEqual([["stop_sequence", "</answer>"]]);
    });

    it("ends a loop and a limit as a limit, never as a success", async () => {
      const loop = "I will now check the time and then I will check it again. ".repeat(60);
      const pieces = loop.match(/.{1,20}/gsu) ?? [];
      const { baseUrl } = await serve(dialect, [start, ...pieces.map(text), counts, done]);
      for (const [rules, reason] of [
        [{ repetition: true }, "repetition_detected"],
        [{ maxCharacters: 30 }, "token_limit_reached"],
      ] as const) {
        const { fetch, ends } = guard(rules);
        const answer = await ask({ fetch, baseUrl });
        expect(loop.startsWith(answer.text)).toBe(true);
        expect(answer.text.length).toBeLessThan(loop.length);
        expect(answer.ending).toBe(words.limit);
        expect(ends.map(({ signal }) => signal.reason)).toEqual([reason]);
      }
    });

    it("gives nobody a call to run that was cut", async () => {
      const json = `{"city":"Oslo","note":"${"so far so good, ".repeat(5)}enough of it"}`;
      const { baseUrl } = await serve(dialect, [start, text("Look"), ...call("c1", "weather", json), counts, done]);
      const { fetch, ends } = guard({ stop: [{ text: "enough", scope: "tool-arguments" }] });
      const answer = await ask({ fetch, baseUrl });
      expect(answer.text).toBe("Look");
      expect(JSON.stringify(answer.calls)).not.toContain("enough");
      expect(["tool_use", "tool_calls", "tool-calls"]).not.toContain(answer.ending);
      // Anthropic's helper completes the arguments of a cut call itself, also of one that Anthropic's own limit has cut.
      if (name !== "anthropic, helper") expect(answer.calls.filter(({ input }) => isWhole(input))).toEqual([]);
      expect(ends.map(({ signal }) => signal.reason)).toEqual(["stop_sequence"]);
    });

    it("passes an error of the provider's on as it is", async () => {
      const body = {
        type: "error",
        error: { type: "rate_limit_error", message: "Slow down", code: 429, status: "RESOURCE_EXHAUSTED" },
      };
      const { baseUrl } = await serve(dialect, { status: 429, headers: { "retry-after": "7", "x-mine": "yes" }, body });
      const { fetch, ends } = guard({ stop: ["</answer>"] });
      const caught = (use: typeof globalThis.fetch) =>
        ask({ fetch: use, baseUrl }).then(
          () => undefined,
          (error: unknown) => ({ name: (error as Error).constructor.name, message: (error as Error).message }),
        );
      const plain = await caught(globalThis.fetch);
      expect(plain?.message).toContain("Slow down");
      expect(await caught(fetch)).toEqual(plain);
      expect(ends[0]).toMatchObject({ signal: { reason: "error_termination" }, call: { status: 429 } });
    });

    it("is stopped by its caller", async () => {
      const server = await serve(dialect, [start, text("Hello"), forever]);
      const { fetch, ends } = guard({ stop: ["</answer>"] });
      const stop = new AbortController();
      const asked = ask({ fetch, baseUrl: server.baseUrl, signal: stop.signal });
      const request = await server.nextRequest();
      stop.abort();
      await asked.catch(() => undefined);
      expect(await request.closed).toBe("gone");
      expect(ends.map(({ signal }) => signal.reason)).toEqual(["cancelled"]);
    });
  });

  describe.each(streaming)("$name", ({ dialect, ask, words }) => {
    const shown = "Say: 42";
    const all = `${shown}</answer> and more`;

    it("finds a stop string wherever it is cut, and closes the connection there", async () => {
      let at = 0;
      const server = await serve(dialect, () => [start, text(all.slice(0, at)), text(all.slice(at)), forever]);
      const { fetch, ends } = guard({ stop: ["</answer>"] });
      for (at = 1; at < all.length; at++) {
        const answer = await ask({ fetch, baseUrl: server.baseUrl });
        expect([at, answer.text, answer.ending]).toEqual([at, shown, words.stop]);
        const request = await server.nextRequest();
        expect(await request.closed).toBe("gone");
      }
      expect(new Set(ends.map(({ signal }) => signal.stopSequence))).toEqual(new Set(["</answer>"]));
      expect(ends.length).toBe(all.length - 1);
    });

    it.each(["end", "reset"] as const)("reports a connection that breaks off as an error: %s", async (by) => {
      const steps = [start, text("x".repeat(3000)), text("y".repeat(3000)), done];
      const { baseUrl } = await serve(dialect, { steps, cutAt: 4500, by });
      const { fetch, ends } = guard({ stop: ["</answer>"] });
      // What a runtime says of a broken connection differs; what is said of one that just ended is ours.
      const error = await ask({ fetch, baseUrl }).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Error);
      if (by === "end") expect(inspect(error)).toContain("BrokenAnswerError: The source ended without a finish");
      expect(ends.map(({ signal }) => signal.reason)).toEqual(["error_termination"]);
    });
  });

  describe.each(whole)("$name", ({ dialect, ask }) => {
    it.each(["end", "reset"] as const)("reports a connection that breaks off as an error: %s", async (by) => {
      const { baseUrl } = await serve(dialect, { steps: [start, text("x".repeat(300)), done], cutAt: 200, by });
      const { fetch, ends } = guard({ stop: ["</answer>"] });
      await expect(ask({ fetch, baseUrl })).rejects.toThrow(/./u);
      expect(ends.map(({ signal }) => signal.reason)).toEqual(["error_termination"]);
    });
  });
}
