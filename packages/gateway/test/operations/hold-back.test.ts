import fc from "fast-check";
import { defineGuard } from "fullstop";
import type { GenerationEvent } from "fullstop";
import { call, finish, reasoning, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { measureHoldBack } from "../../src/operations/hold-back.ts";

/** Sends one event a second through a guard, and gives what came out and how long text was held, in seconds. */
function measure(stop: readonly string[], events: readonly GenerationEvent[]) {
  let time = 0;
  let looks = 0;
  const held: number[] = [];
  const out: GenerationEvent[] = [];
  const stage = measureHoldBack(
    defineGuard({
      stop: stop.map((each) => ({ text: each, scope: ["text", "reasoning", "tool-arguments"] as const })),
    }),
    (milliseconds) => held.push(milliseconds),
    () => {
      looks += 1;
      return time;
    },
  );
  const sink = stage({ push: (event) => void out.push(event), end: () => undefined });
  for (const event of events) {
    sink.push(event);
    time += 1;
  }
  sink.end();
  return { held, out, looks };
}

describe("how long text is held back", () => {
  it.each([
    ["nothing that could be a stop string", ["END"], [text("a"), text("b"), finish()], []],
    ["until it is none", ["END"], [text("a E"), text("Nd"), finish()], [1]],
    ["over several pieces", ["END"], [text("a E"), text("N"), text("d"), finish()], [2]],
    ["until the answer ends", ["END"], [text("a E"), text("N"), finish()], [2]],
    ["until the answer breaks off", ["END"], [text("a E"), text("N")], [2]],
    ["until another channel begins", ["END"], [reasoning("a E"), text("b"), finish()], [1]],
    ["in a tool's arguments", ["END"], [...call("a", "look", { a: "E" }), finish()], []],
    ["twice, one after the other", ["END"], [text("E"), text("a E"), text("b"), finish()], [1, 1]],
    ["for good: a stop string swallowed it", ["END"], [text("a E"), text("ND"), text("b"), finish()], []],
  ])("%s", (_, stop, events, expected) => {
    expect(measure(stop, events).held).toEqual(expected);
  });

  it("is found out without changing anything", () => {
    const piece = fc.stringMatching(/^[ab#]{0,4}$/u);
    const event = fc.oneof(
      piece.map((each) => text(each)),
      piece.map((each) => reasoning(each)),
    );
    const events = fc.array(event, { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.constantFrom("##", "#a#", "ba"), { minLength: 1 }), events, (stop, body) => {
        const rules = stop.map((each) => ({ text: each, scope: ["text", "reasoning", "tool-arguments"] as const }));
        const plain: GenerationEvent[] = [];
        const sink = defineGuard({ stop: rules })({ push: (each) => void plain.push(each), end: () => undefined });
        for (const each of [...body, finish()]) sink.push(each);
        sink.end();
        const measured = measure(stop, [...body, finish()]);
        expect(measured.out).toEqual(plain);
        expect(measured.held.every((time) => time >= 0)).toBe(true);
      }),
    );
  });

  it("costs no look at the clock where nothing is held", () => {
    const pieces = Array.from({ length: 100 }, () => text("plain "));
    expect(measure(["END"], [...pieces, finish()]).looks).toBe(0);
  });
});
