import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planNext } from "../../src/screen/plan.ts";
import type { Buttons, Operation, ShownMessage, WantedMessage } from "../../src/screen/plan.ts";

const STOP: Buttons = [[{ text: "Stop", callback_data: "stop" }]];

function wanted(text: string, buttons?: Buttons): WantedMessage {
  return { content: { text, entities: [] }, buttons };
}

function shown(id: number, text: string, others: Partial<ShownMessage> = {}): ShownMessage {
  return { ...wanted(text), id, isGone: false, ...others };
}

describe("what is done next", () => {
  const one = wanted("one");
  const cases: readonly [string, readonly ShownMessage[], readonly WantedMessage[], Operation | undefined][] = [
    ["nothing if nothing is wanted", [], [], undefined],
    ["nothing if all is there", [shown(1, "one")], [one], undefined],
    ["a message that is not there is sent", [], [one], { type: "send", wanted: one }],
    ["another text is an edit", [shown(1, "on")], [one], { type: "edit", index: 0, wanted: one }],
    ["other buttons are an edit", [shown(1, "one", { buttons: STOP })], [one], { type: "edit", index: 0, wanted: one }],
    [
      "other formatting is an edit",
      [shown(1, "one", { content: { text: "one", entities: [{ type: "bold", offset: 0, length: 3 }] } })],
      [one],
      { type: "edit", index: 0, wanted: one },
    ],
    [
      "what is above is mended before anything is sent below",
      [shown(1, "on", { buttons: STOP })],
      [one, wanted("two", STOP)],
      { type: "edit", index: 0, wanted: one },
    ],
    [
      "the last surplus message goes first",
      [shown(1, "one"), shown(2, "two"), shown(3, "three")],
      [one],
      { type: "remove", index: 2 },
    ],
    ["what somebody has deleted is left alone", [shown(1, "on", { isGone: true })], [one], undefined],
    [
      "what comes after a deleted message is sent",
      [shown(1, "on", { isGone: true })],
      [one, wanted("two")],
      { type: "send", wanted: wanted("two") },
    ],
  ];
  test.each(cases)("%s", (_name, there, should, operation) => {
    expect(planNext(there, should)).toEqual(operation);
  });
});

describe("for anything that is shown and anything that is wanted", () => {
  const content = fc.constantFrom("a", "b", "c").map((text) => ({ text, entities: [] }));
  const buttons = fc.constantFrom(undefined, STOP);
  const wantedMessages = fc.array(fc.record({ content, buttons }), { maxLength: 5 });
  const shownMessages = fc
    .array(fc.record({ content, buttons, isGone: fc.boolean() }), { maxLength: 5 })
    .map((messages) => messages.map((message, index) => ({ ...message, id: index + 1 })));

  test("one step after the other leads there, none of them twice or for nothing", () => {
    fc.assert(
      fc.property(shownMessages, wantedMessages, (start, goal) => {
        let now: readonly ShownMessage[] = start;
        let steps = 0;
        for (let step = planNext(now, goal); step !== undefined; step = planNext(now, goal)) {
          steps += 1;
          expect(steps).toBeLessThanOrEqual(start.length + goal.length);
          if (step.type === "edit") {
            const before = now[step.index]!;
            expect(before.isGone).toBe(false);
            expect({ content: before.content, buttons: before.buttons }).not.toEqual(step.wanted);
            now = now.with(step.index, { ...before, ...step.wanted });
          } else if (step.type === "send") {
            now = [...now, { ...step.wanted, id: 100 + steps, isGone: false }];
          } else {
            expect(step.index).toBe(now.length - 1);
            now = now.slice(0, -1);
          }
        }
        expect(now).toHaveLength(goal.length);
        for (const [index, message] of now.entries()) {
          if (!message.isGone) expect(message).toMatchObject(goal[index]!);
        }
      }),
    );
  });
});
