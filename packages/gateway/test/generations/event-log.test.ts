import { text } from "fullstop/testing";
import type { GenerationEvent } from "fullstop";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLog } from "../../src/generations/event-log.ts";

async function readAll(batches: AsyncIterable<readonly GenerationEvent[]>): Promise<readonly GenerationEvent[]> {
  const all: GenerationEvent[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

describe("a log of events", () => {
  it("gives every reader each event once and in order, whenever it comes and wherever it begins", async () => {
    const steps = fc.array(fc.oneof(fc.constant("append"), fc.constant("wait"), fc.nat({ max: 12 })), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const log = new EventLog();
        const readers: { from: number; got: Promise<readonly GenerationEvent[]> }[] = [];
        for (const step of script) {
          if (step === "append") log.append(text(String(log.length)));
          else if (typeof step === "number") readers.push({ from: step, got: readAll(log.follow(step, false)) });
          else await new Promise((resolve) => setImmediate(resolve));
        }
        log.close();
        for (const { from, got } of readers) expect(await got).toEqual(log.all().slice(from));
        expect(await readAll(log.follow(0, false))).toEqual(log.all());
      }),
    );
  });

  it("makes the writer wait for a reader that sets the pace, and for no other", async () => {
    const log = new EventLog();
    const slow = log.follow(0, true);
    const idle = log.follow(0, false);
    log.append(text("0"));
    await Promise.all([slow.next(), idle.next()]);
    for (let count = 1; count <= 3; count += 1) log.append(text(String(count)));
    let isFree = false;
    const room = log.room(3)?.then(() => (isFree = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isFree).toBe(false);
    // Taking the next batch says that the one before it was dealt with.
    await slow.next();
    await room;
    expect(isFree).toBe(true);
  });

  it.each(["leaves", "is not waited for any more"])("lets the writer go on when such a reader %s", async (how) => {
    const log = new EventLog();
    const slow = log.follow(0, true);
    log.append(text("0"));
    await slow.next();
    for (let count = 1; count <= 3; count += 1) log.append(text(String(count)));
    const room = log.room(2);
    if (how === "leaves") await slow.return();
    else log.setFree();
    await room;
    expect(log.length).toBe(4);
  });
});
