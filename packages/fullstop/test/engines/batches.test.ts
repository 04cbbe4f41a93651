import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRemoteEngine, openaiCompatible } from "../../src/engines/index.ts";
import { defineGuard, runGeneration } from "../../src/index.ts";
import type { GenerationEvent, Stage } from "../../src/index.ts";
import { finish, start, text } from "../../src/testing/index.ts";
import { openaiChat } from "../../src/wire/index.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { ask } from "../support/engine-contract.ts";
import { collect, finishOf, textOf } from "../support/events.ts";
import { bodyOf } from "../support/provider-server.ts";
import { toBytes } from "../support/wire-bodies.ts";

const ANSWER = toBytes(
  bodyOf(openaiChat, [start(), text("One, "), text("twö, "), text("three"), text("!"), finish()], true),
);

/** Where the bytes of its second piece of text have come. */
const TWO_END = Buffer.from(ANSWER).indexOf("twö") + 50;

/** A body that gives its pieces one by one, and says whether it was closed. */
function bodyFrom(pieces: readonly Uint8Array[]) {
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

function generate(pieces: readonly Uint8Array[], signal: AbortSignal = new AbortController().signal) {
  const body = bodyFrom(pieces);
  const fetch = () => Promise.resolve({ status: 200, headers: new Headers(), body });
  const engine = createRemoteEngine({ provider: openaiCompatible("http://127.0.0.1/v1"), fetch });
  return { body, generation: engine.generate(ask(), signal) };
}

const asIs: Stage<GenerationEvent, GenerationEvent> = (next) => next;

async function read(batches: AsyncIterable<readonly GenerationEvent[]> | undefined) {
  const all: (readonly GenerationEvent[])[] = [];
  for await (const batch of batches ?? []) all.push(batch);
  return all;
}

describe("an answer that is read in batches", () => {
  it("has in one list what has come in one piece", async () => {
    const cut = ANSWER.length - 200;
    const all = await read(generate(cutBytesAt(ANSWER, [cut])).generation.batches?.(asIs));
    expect(all.map((batch) => batch.length).filter((length) => length > 2)).toHaveLength(1);
    expect(textOf(all.flat())).toBe("One, twö, three!");
    expect(all.every((batch) => batch.length > 0)).toBe(true);
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
        const batches = (await read(generate(pieces).generation.batches?.(guard))).flat();
        const events = await collect(runGeneration(generate(pieces).generation, guard));
        expect(textOf(batches)).toBe(textOf(events));
        expect(batches.at(-1)).toEqual(events.at(-1));
        expect(batches.filter(({ type }) => type === "finish")).toHaveLength(1);
      }),
    );
  });

  it("closes the connection when the stage has ended it", async () => {
    // What ends it is in the first piece, and the answer's own end in the second.
    const { generation, body } = generate(cutBytesAt(ANSWER, [TWO_END]));
    const events = (await read(generation.batches?.(defineGuard({ stop: ["twö"] })))).flat();
    expect(finishOf(events)).toMatchObject({ reason: "stop_sequence", stopSequence: "twö" });
    await expect.poll(() => body.isClosed).toBe(true);
  });

  it("ends with who has stopped it", async () => {
    const controller = new AbortController();
    const { generation } = generate(cutBytesAt(ANSWER, [300, 500, 700]), controller.signal);
    const events: GenerationEvent[] = [];
    for await (const batch of generation.batches?.(asIs) ?? []) {
      events.push(...batch);
      controller.abort("operator");
    }
    expect(finishOf(events)).toMatchObject({ reason: "cancelled", detail: "operator" });
  });

  it("is not begun when it was stopped before", async () => {
    const { generation, body } = generate([ANSWER], AbortSignal.abort("early"));
    expect(await read(generation.batches?.(asIs))).toMatchObject([
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
    const events = (await read(generate([ANSWER]).generation.batches?.(broken))).flat();
    expect(events).toHaveLength(1);
    expect(finishOf(events)).toMatchObject({ reason: "error_termination", message: "broken for good" });
  });
});
