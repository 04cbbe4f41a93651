import type { Clock } from "fullstop";
import { systemClock } from "fullstop/control";
import { createGate } from "fullstop/testing";
import { expect, test } from "vitest";
import { startRounds } from "../src/rounds.ts";

test("the pause between rounds is counted from the beginning of a round", async () => {
  const timers: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after(_milliseconds, callback) {
      timers.push(callback);
      return () => undefined;
    },
  };
  const [slow, second] = [createGate(), createGate()];
  let rounds = 0;
  const work = async (): Promise<void> => {
    rounds += 1;
    await (rounds === 1 ? slow : second).pass();
  };
  const stop = startRounds({ milliseconds: 1, work, onFailure: () => undefined }, clock);

  timers[0]?.();
  slow.open();
  await second.reached;
  second.open();
  await stop();

  expect(rounds).toBe(2);
});
