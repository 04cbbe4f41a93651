import { describe, expect, it } from "vitest";
import { DEFAULT_TIMEOUTS, createRemoteEngine, openaiCompatible } from "../../src/engines/index.ts";
import type { Timeouts } from "../../src/engines/index.ts";
import { FullstopError } from "../../src/index.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { createGate, finish, start, text } from "../../src/testing/index.ts";
import { openaiChat } from "../../src/wire/index.ts";
import { tell } from "../support/answers.ts";
import { ask, readAll } from "../support/engine-contract.ts";
import { finishOf } from "../support/events.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { bodyOf } from "../support/provider-server.ts";
import type { ServerStep } from "../support/provider-server.ts";
import { withRemote } from "../support/remote.ts";
import type { Remote } from "../support/remote.ts";
import { toBytes } from "../support/wire-bodies.ts";

const timeouts = { firstByteMilliseconds: 100, silenceMilliseconds: 20, totalMilliseconds: 5_000 };

describe("a provider that is waited for", () => {
  const useSteps = async (
    steps: readonly ServerStep[],
    use: (remote: Remote, clock: ReturnType<typeof createManualClock>) => Promise<void>,
    limits: Timeouts = timeouts,
  ): Promise<void> => {
    const clock = createManualClock();
    await withRemote("openai-chat", steps, (remote) => use(remote, clock), { engine: { clock, timeouts: limits } });
  };

  it("is given up when it does not begin to answer", async () => {
    const gate = createGate();
    await useSteps([gate.pass, start(), finish()], async ({ engine, server }, clock) => {
      const reading = readAll(engine);
      const received = await server.nextRequest();
      await clock.fire(100);
      expect(await received.closed).toBe("gone");
      expect(await reading).toMatchObject([
        {
          signal: {
            reason: "error_termination",
            detail: "timeout",
            providerSpecific: {
              originalField: "timeout",
              originalValue: "firstByteMilliseconds",
              metadata: { milliseconds: 100 },
            },
          },
        },
      ]);
      expect(clock.running()).toEqual([]);
      gate.open();
    });
  });

  it("is given up when it falls silent, and what it said is kept", async () => {
    const gate = createGate();
    await useSteps([start(), text("Hel"), gate.pass, finish()], async ({ engine, server }, clock) => {
      const events: GenerationEvent[] = [];
      for await (const event of engine.generate(ask(), new AbortController().signal)) {
        events.push(event);
        if (event.type === "text") void clock.fire(20);
      }
      expect(tell(events)).toMatchObject({
        text: "Hel",
        signal: { detail: "timeout", providerSpecific: { originalValue: "silenceMilliseconds" } },
      });
      expect(await server.requests[0]?.closed).toBe("gone");
      gate.open();
    });
  });

  it("is given up when all of it takes too long", async () => {
    const gate = createGate();
    await useSteps([start(), text("Hel"), gate.pass, finish()], async ({ engine, server }, clock) => {
      const events: GenerationEvent[] = [];
      for await (const event of engine.generate(ask(), new AbortController().signal)) {
        events.push(event);
        if (event.type === "text") await clock.fire(5_000);
      }
      expect(finishOf(events)).toMatchObject({
        detail: "timeout",
        providerSpecific: { originalValue: "totalMilliseconds" },
      });
      expect(await server.requests[0]?.closed).toBe("gone");
      gate.open();
    });
  });

  it("shows by any byte that it lives, also by those that say nothing", async () => {
    const clock = createManualClock();
    const frames = bodyOf(openaiChat, [start(), text("Hel"), text("lo"), finish()], true).split(/(?<=\n\n)/u);
    const pieces = frames.flatMap((frame) => [": ping\n\n", frame]);
    const waits: number[] = [];
    const body = new ReadableStream<Uint8Array>(
      {
        // Called when somebody waits for the next piece.
        pull(controller) {
          waits.push(clock.startedCount(20));
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(toBytes(piece));
        },
      },
      { highWaterMark: 0 },
    );
    const provider = openaiCompatible("http://127.0.0.1/v1");
    const fetch = (): Promise<Response> => Promise.resolve(new Response(body));
    const events = await readAll(createRemoteEngine({ provider, fetch, clock, timeouts }));
    expect(tell(events)).toMatchObject({ text: "Hello", signal: { reason: "natural_completion" } });
    // Every piece had a time of its own.
    expect(waits.length).toBeGreaterThanOrEqual(2 * frames.length);
    expect(waits.slice(0, 2 * frames.length)).toEqual(
      waits.slice(0, 2 * frames.length).map((_count, index) => index + 1),
    );
  });

  it("is not blamed for the time that its reader takes", async () => {
    const gate = createGate();
    await useSteps([start(), text("Hello"), gate.pass, finish()], async ({ engine }, clock) => {
      const running: unknown[] = [];
      for await (const event of engine.generate(ask(), new AbortController().signal)) {
        if (event.type !== "finish") running.push(...clock.running());
        if (event.type === "text") gate.open();
      }
      expect(running).toEqual([5_000, 5_000]);
    });
  });

  it("leaves no timer behind when its reader leaves", async () => {
    const gate = createGate();
    await useSteps([start(), text("Hel"), gate.pass, finish()], async ({ engine, server }, clock) => {
      for await (const event of engine.generate(ask(), new AbortController().signal)) {
        if (event.type === "text") break;
      }
      expect(await server.requests[0]?.closed).toBe("gone");
      await expect.poll(() => clock.running()).toEqual([]);
      gate.open();
    });
  });

  it("leaves no timer behind when it is cancelled", async () => {
    const gate = createGate();
    await useSteps([gate.pass, finish()], async ({ engine, server }, clock) => {
      const controller = new AbortController();
      const reading = readAll(engine, ask(), controller.signal);
      await server.nextRequest();
      expect(clock.running()).toEqual([5_000, 100]);
      controller.abort();
      expect(finishOf(await reading).reason).toBe("cancelled");
      await expect.poll(() => clock.running()).toEqual([]);
      gate.open();
    });
  });

  it("is waited for without end where that is wanted, and for a while where nothing is said", async () => {
    const gate = createGate();
    const lengthsOf = async (limits: Timeouts): Promise<readonly number[]> => {
      let lengths: readonly number[] = [];
      await useSteps(
        [gate.pass, start(), finish()],
        async ({ engine, server }, clock) => {
          const controller = new AbortController();
          const reading = readAll(engine, ask(), controller.signal);
          await server.nextRequest();
          lengths = clock.running();
          controller.abort();
          await reading;
        },
        limits,
      );
      return lengths;
    };
    const endless = { firstByteMilliseconds: Infinity, silenceMilliseconds: Infinity, totalMilliseconds: Infinity };
    expect(await lengthsOf(endless)).toEqual([]);
    expect(await lengthsOf({})).toEqual([DEFAULT_TIMEOUTS.firstByteMilliseconds]);
    gate.open();
  });

  it.each([
    {
      timeouts: { firstByteMilliseconds: 0 },
      message: "firstByteMilliseconds must be a number of milliseconds above 0",
    },
    { timeouts: { silenceMilliseconds: Number.NaN }, message: "silenceMilliseconds must be a number" },
    {
      timeouts: { totalMilliseconds: "5" },
      message: 'totalMilliseconds must be a number of milliseconds above 0, got "5"',
    },
    { timeouts: { total: 5 }, message: "timeouts has no such option" },
  ])("is refused the time-outs $timeouts", ({ timeouts: wrong, message }) => {
    const create = (): unknown =>
      createRemoteEngine({ provider: openaiCompatible("http://127.0.0.1/v1"), timeouts: wrong as Timeouts });
    expect(create).toThrow(FullstopError);
    expect(create).toThrow(message);
  });
});
