import { text } from "fullstop/testing";
import type { GenerationEvent } from "fullstop";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLog } from "../../src/generations/event-log.ts";
import { close, write } from "../support/event-log.ts";

async function readAll(batches: AsyncIterable<readonly GenerationEvent[]>): Promise<readonly GenerationEvent[]> {
  const all: GenerationEvent[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** A reader that is called, and gets on when the test says so. */
function attachReader(log: EventLog): { offset: number; readonly calls: number; advance(): void } {
  const reader = {
    offset: 0,
    calls: 0,
    advance() {
      this.calls += 1;
    },
  };
  log.attach(reader);
  return reader;
}

describe("a log of events", () => {
  it("gives every reader each event once and in order, whenever it comes and wherever it begins", async () => {
    const steps = fc.array(fc.oneof(fc.constantFrom("append", "release", "wait"), fc.nat({ max: 12 })), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const log = new EventLog();
        const readers: { from: number; got: Promise<readonly GenerationEvent[]> }[] = [];
        for (const step of script) {
          if (step === "append") log.append(text(String(log.written().length)));
          else if (step === "release") log.release(log.written().length);
          else if (typeof step === "number") readers.push({ from: step, got: readAll(log.follow(step)) });
          else await new Promise((resolve) => setImmediate(resolve));
        }
        close(log);
        for (const { from, got } of readers) expect(await got).toEqual(log.all().slice(from));
        expect(await readAll(log.follow(0))).toEqual(log.all());
      }),
    );
  });

  it("makes the writer wait for a reader that sets the pace, and for no other", async () => {
    const log = new EventLog();
    const slow = attachReader(log);
    const idle = log.follow(0);
    write(log, text("0"));
    await idle.next();
    slow.offset = 1;
    write(log, text("1"), text("2"), text("3"));
    expect(log.room(3)).toBeUndefined();
    write(log, text("4"));
    let isFree = false;
    const room = log.room(3)?.then(() => (isFree = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isFree).toBe(false);
    slow.offset = 5;
    log.wakeWriter();
    await room;
    expect(isFree).toBe(true);
  });

  it.each(["leaves", "is not waited for any more"])("lets the writer go on when such a reader %s", async (how) => {
    const log = new EventLog();
    const slow = attachReader(log);
    write(log, text("0"), text("1"), text("2"));
    const room = log.room(2);
    if (how === "leaves") log.detach(slow);
    else log.setFree();
    await room;
    expect(log.room(2)).toBeUndefined();
  });
});
