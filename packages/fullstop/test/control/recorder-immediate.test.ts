import { describe, expect, it } from "vitest";
import { Recorder, createMemoryStore } from "../../src/control/index.ts";
import type { GenerationRecord, GenerationStore, ImmediateRecords } from "../../src/control/index.ts";
import { cancelledSignal } from "../../src/index.ts";
import type { GenerationEvent, TerminationSignal } from "../../src/index.ts";
import { finish, text } from "../../src/testing/index.ts";
import { createMovingClock } from "../support/moving-clock.ts";

const RECORD: GenerationRecord = { id: "g", owner: "alice", model: "pip", startedAt: 0, holder: "one" };

/** A generation that is recorded in memory, perhaps in one that cannot do something. */
function record(change: (immediate: ImmediateRecords) => Partial<ImmediateRecords> = () => ({})) {
  const clock = createMovingClock();
  const memory = createMemoryStore({ clock });
  const immediate = memory.immediate!;
  const store: GenerationStore["immediate"] = { ...immediate, ...change(immediate) };
  const events: GenerationEvent[] = [];
  const released: number[] = [];
  const endings: TerminationSignal[] = [];
  const failures: unknown[] = [];
  const recorder = new Recorder({
    store: new Proxy(memory, { get: (all, name): unknown => (name === "immediate" ? store : Reflect.get(all, name)) }),
    record: RECORD,
    clock,
    events: () => events,
    onRelease: (count) => released.push(count),
    onEnded: (signal) => endings.push(signal),
    onFailure: (error) => failures.push(error),
  });
  const write = (piece: string): void => {
    events.push(text(piece));
    recorder.advance();
  };
  return { clock, memory, recorder, released, endings, failures, write };
}

describe("a recorder of a store that answers at once", () => {
  it("releases events in the run in which they come, and ends with what was said", async () => {
    const { memory, recorder, released, write } = record();
    write("a");
    write("b");
    expect(released).toEqual([1, 2]);
    const ending = recorder.finish(finish().signal);
    await recorder.done;
    expect(await ending).toEqual({ signal: finish().signal, events: 2 });
    expect(await memory.read("g", 0)).toEqual([text("a"), text("b"), finish()]);
  });

  it("hears in the same run that somebody else has ended it", async () => {
    const { memory, recorder, released, endings, write } = record();
    write("a");
    const lost = cancelledSignal("somebody else");
    await memory.finish("g", lost);
    write("too late");
    expect(released).toEqual([1]);
    expect(endings).toEqual([lost]);
    expect(await recorder.finish(finish().signal)).toEqual({ signal: lost, events: 1 });
  });

  it("goes on without it where it throws, and tells it later", async () => {
    let isBroken = true;
    const { clock, memory, recorder, released, failures, write } = record((immediate) => ({
      append(...given) {
        if (isBroken) throw new Error("no room");
        return immediate.append(...given);
      },
    }));
    write("a");
    expect(released).toEqual([1]);
    expect(failures).toEqual([new Error("no room")]);
    isBroken = false;
    await clock.advance(500);
    write("b");
    expect(await recorder.finish(finish().signal)).toMatchObject({ events: 2 });
    expect(await memory.read("g", 0)).toEqual([text("a"), text("b"), finish()]);
  });
});
