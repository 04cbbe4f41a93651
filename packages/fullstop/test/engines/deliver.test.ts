import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRemoteEngine, openaiCompatible } from "../../src/engines/index.ts";
import type { DeliveredBytes, RemoteEngineOptions } from "../../src/engines/index.ts";
import { defineGuard, runGeneration } from "../../src/index.ts";
import type { Generation, GenerationEvent, Stage, Take } from "../../src/index.ts";
import { createGate, finish, start, text } from "../../src/testing/index.ts";
import { openaiChat } from "../../src/wire/index.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { ask } from "../support/engine-contract.ts";
import { collect, finishOf, textOf } from "../support/events.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { bodyOf } from "../support/provider-server.ts";
import { toBytes } from "../support/wire-bodies.ts";

const ANSWER = toBytes(
  bodyOf(openaiChat, [start(), text("One, "), text("twö, "), text("three"), text("!"), finish()], true),
);

/** Where the bytes of its second piece of text have come. */
const TWO_END = Buffer.from(ANSWER).indexOf("twö") + 50;

/** A body that gives its pieces one by one when it is asked for them, and says whether it was closed. */
function pulledFrom(pieces: readonly Uint8Array[]) {
  let position = 0;
  const body = {
    isClosed: false,
    next: () => {
      const value = pieces[position++];
      return Promise.resolve(value === undefined ? { done: true as const, value } : { done: false as const, value });
    },
    return: () => {
      body.isClosed = true;
      return Promise.resolve({ done: true as const, value: undefined });
    },
    [Symbol.asyncIterator]: () => body,
  };
  return body;
}

/** A body that hands its pieces over, each in a turn of its own, as a network does. */
function pushedFrom(pieces: readonly Uint8Array[]) {
  const body = Object.assign(pulledFrom(pieces), {
    async deliver(take: Take<Uint8Array>): Promise<void> {
      for (const piece of pieces) {
        if (body.isClosed) throw new Error("closed");
        const room = take(piece);
        if (room !== undefined) await room;
        await new Promise(setImmediate);
      }
    },
  });
  return body;
}

const BODIES = [
  { way: "pulled", bodyFrom: pulledFrom },
  { way: "pushed", bodyFrom: pushedFrom },
] as const;

type TestBody = (AsyncIterable<Uint8Array> | DeliveredBytes) & { readonly isClosed: boolean };

function generate(body: TestBody, signal = new AbortController().signal, options: Partial<RemoteEngineOptions> = {}) {
  const fetch = () => Promise.resolve({ status: 200, headers: new Headers(), body });
  const engine = createRemoteEngine({ provider: openaiCompatible("http://127.0.0.1/v1"), fetch, ...options });
  return engine.generate(ask(), signal);
}

const asIs: Stage<GenerationEvent, GenerationEvent> = (next) => next;

async function taken(generation: Generation, stage = asIs): Promise<readonly (readonly GenerationEvent[])[]> {
  const all: (readonly GenerationEvent[])[] = [];
  await generation.deliver?.(stage, (events) => {
    all.push(events);
    return undefined;
  });
  return all;
}

describe.each(BODIES)("an answer that is delivered, with a body that is $way", ({ bodyFrom }) => {
  it("has in one list what has come in one piece", async () => {
    const all = await taken(generate(bodyFrom(cutBytesAt(ANSWER, [ANSWER.length - 200]))));
    expect(all.map((events) => events.length).filter((length) => length > 2)).toHaveLength(1);
    expect(textOf(all.flat())).toBe("One, twö, three!");
    expect(all.every((events) => events.length > 0)).toBe(true);
  });

  it("is the same as one that is read event by event through the same stage, however it was cut", async () => {
    const positions = fc.array(fc.integer({ min: 1, max: ANSWER.length - 1 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(positions, fc.constantFrom("thr", ", t", "!", "never"), async (cuts, stop) => {
        const pieces = cutBytesAt(
          ANSWER,
          [...new Set(cuts)].sort((one, other) => one - other),
        );
        const guard = defineGuard({ stop: [stop] });
        const delivered = (await taken(generate(bodyFrom(pieces)), guard)).flat();
        const events = await collect(runGeneration(generate(bodyFrom(pieces)), guard));
        expect(textOf(delivered)).toBe(textOf(events));
        expect(delivered.at(-1)).toEqual(events.at(-1));
        expect(delivered.filter(({ type }) => type === "finish")).toHaveLength(1);
      }),
    );
  });

  it("closes the connection when the stage has ended it", async () => {
    // What ends it is in the first piece, and the answer's own end in the second.
    const body = bodyFrom(cutBytesAt(ANSWER, [TWO_END]));
    const events = (await taken(generate(body), defineGuard({ stop: ["twö"] }))).flat();
    expect(finishOf(events)).toMatchObject({ reason: "stop_sequence", stopSequence: "twö" });
    await expect.poll(() => body.isClosed).toBe(true);
  });

  it("ends with who has stopped it, also where that was whoever takes it", async () => {
    const controller = new AbortController();
    const body = bodyFrom(cutBytesAt(ANSWER, [300, 500, 700]));
    const events: GenerationEvent[] = [];
    await generate(body, controller.signal).deliver?.(asIs, (batch) => {
      events.push(...batch);
      controller.abort("operator");
      return Promise.resolve();
    });
    expect(finishOf(events)).toMatchObject({ reason: "cancelled", detail: "operator" });
    expect(body.isClosed).toBe(true);
  });

  it("waits for whoever takes it, whose time is not the provider's", async () => {
    const clock = createManualClock();
    const timeouts = { silenceMilliseconds: 20 };
    const gate = createGate();
    let count = 0;
    const generation = generate(bodyFrom(cutBytesAt(ANSWER, [300, 500, 700])), undefined, { clock, timeouts });
    const whole = generation.deliver?.(asIs, () => {
      count += 1;
      return count === 1 ? gate.pass() : undefined;
    });
    await gate.reached;
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(clock.running()).not.toContain(20);
    expect(count).toBe(1);
    gate.open();
    await whole;
    expect(count).toBeGreaterThan(1);
  });

  it("is not begun when it was stopped before", async () => {
    const body = bodyFrom([ANSWER]);
    expect(await taken(generate(body, AbortSignal.abort("early")))).toMatchObject([
      [{ type: "finish", signal: { reason: "cancelled", detail: "early" } }],
    ]);
    expect(body.isClosed).toBe(false);
  });

  it("ends with an error when the stage is broken", async () => {
    const broken: Stage<GenerationEvent, GenerationEvent> = () => ({
      push: () => {
        throw new Error("broken for good");
      },
      end: () => undefined,
    });
    const events = (await taken(generate(bodyFrom([ANSWER])), broken)).flat();
    expect(events).toHaveLength(1);
    expect(finishOf(events)).toMatchObject({ reason: "error_termination", message: "broken for good" });
  });

  it("is left at once, and the provider not blamed, when the stage breaks amid it", async () => {
    const body = bodyFrom(cutBytesAt(ANSWER, [TWO_END]));
    const broken: Stage<GenerationEvent, GenerationEvent> = (next) => ({
      push: (event) => {
        if (event.type === "text" && event.text.startsWith("tw")) throw new Error("a mistake of mine");
        next.push(event);
      },
      end: () => next.end(),
    });
    const events = (await taken(generate(body), broken)).flat();
    expect(textOf(events)).toBe("One, ");
    expect(finishOf(events)).toMatchObject({ detail: "exception", message: "a mistake of mine" });
    await expect.poll(() => body.isClosed, { timeout: 500 }).toBe(true);
  });

  it.each<readonly [string, Take<Error>]>([
    [
      "throws",
      (error) => {
        throw error;
      },
    ],
    [
      "rejects",
      async (error) => {
        throw error;
      },
    ],
  ])("is left at once when whoever takes it %s", async (_how, fail) => {
    const body = bodyFrom(cutBytesAt(ANSWER, [TWO_END]));
    const all: GenerationEvent[] = [];
    await generate(body).deliver?.(asIs, (events) => {
      all.push(...events);
      return fail(new Error("nobody there"));
    });
    expect(textOf(all)).toBe("One, twö, ");
    expect(finishOf(all)).toMatchObject({ detail: "exception", message: "nobody there" });
    await expect.poll(() => body.isClosed, { timeout: 500 }).toBe(true);
  });
});

/** A body that gives one piece and then nothing more, whatever is done, and counts how often it was asked. */
function hangingAfter(piece: Uint8Array) {
  const body = {
    asked: 0,
    isClosed: false,
    next: () => {
      body.asked += 1;
      return body.asked === 1
        ? Promise.resolve({ done: false as const, value: piece })
        : new Promise<IteratorResult<Uint8Array>>(() => undefined);
    },
    [Symbol.asyncIterator]: () => body,
  };
  return body;
}

describe("an answer that is delivered", () => {
  it("is not asked for more once a rule has ended it", async () => {
    const body = hangingAfter(ANSWER.subarray(0, TWO_END));
    const events = (await taken(generate(body), defineGuard({ stop: ["twö"] }))).flat();
    expect(finishOf(events)).toMatchObject({ reason: "stop_sequence", stopSequence: "twö" });
    await new Promise(setImmediate);
    expect(body.asked).toBe(1);
  });

  it("leaves nothing behind when its reader leaves, also where its body does not hear of it", async () => {
    const clock = createManualClock();
    const options = { clock, timeouts: { silenceMilliseconds: 20, totalMilliseconds: 5_000 } };
    const body = hangingAfter(ANSWER.subarray(0, TWO_END));
    for await (const event of generate(body, undefined, options)) if (event.type === "text") break;
    await new Promise(setImmediate);
    expect(clock.running()).toEqual([]);
  });

  it.each([{ body: null }, { body: undefined }, {}])(
    "ends as one without a body where the answer is %j",
    async (rest) => {
      const fetch = () => Promise.resolve({ status: 200, headers: new Headers(), ...rest });
      const engine = createRemoteEngine({ provider: openaiCompatible("http://127.0.0.1/v1"), fetch });
      const events = (await taken(engine.generate(ask()))).flat();
      expect(finishOf(events)).toMatchObject({ reason: "error_termination", detail: "truncated" });
    },
  );

  it("ends by the network where a body breaks that is pushed", async () => {
    const pieces = cutBytesAt(ANSWER, [TWO_END]);
    const body = Object.assign(pulledFrom([]), {
      async deliver(take: Take<Uint8Array>): Promise<void> {
        void take(pieces[0]!);
        throw new Error("broken pipe");
      },
    });
    const events = (await taken(generate(body))).flat();
    expect(textOf(events)).toBe("One, twö, ");
    expect(finishOf(events)).toMatchObject({ reason: "error_termination", detail: "network_error" });
  });

  it("reads on for a little after its end, so that the connection can be used again, but not for long", async () => {
    const gate = createGate();
    const body = Object.assign(pulledFrom([]), {
      async deliver(take: Take<Uint8Array>): Promise<void> {
        void take(ANSWER);
        await gate.pass();
        for (let kilobytes = 0; kilobytes < 64; kilobytes += 1) void take(new Uint8Array(1024));
        expect(body.isClosed).toBe(false);
        void take(new Uint8Array(1));
      },
    });
    expect(textOf((await taken(generate(body))).flat())).toBe("One, twö, three!");
    expect(body.isClosed).toBe(false);
    gate.open();
    await expect.poll(() => body.isClosed).toBe(true);
  });
});
