import fc from "fast-check";
import { describe, it } from "vitest";
import { concludeWorld } from "../support/control/check-world.ts";
import { happenings } from "../support/control/commands.ts";
import type { Lags } from "../support/control/link.ts";
import { World } from "../support/control/world.ts";
import { createRandom } from "../support/random.ts";

/** How long calls and notices take, and how many in ten notices never arrive. */
const lags = fc.record({
  seed: fc.nat(),
  call: fc.constantFrom(0, 0, 1, 15),
  notice: fc.constantFrom(0, 0, 15, 400),
  lostInTen: fc.constantFrom(0, 0, 2, 10),
});

function createLags({ seed, call, notice, lostInTen }: typeof lags extends fc.Arbitrary<infer T> ? T : never): Lags {
  const random = createRandom(seed);
  return {
    call: () => (call === 0 ? 0 : random.below(call + 1)),
    notice: () => (random.below(10) < lostInTen ? Infinity : notice === 0 ? 0 : random.below(notice + 1)),
  };
}

describe("several servers with one store", () => {
  it("end every generation once, lose no order and show every event once, whatever happens to them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), lags, happenings, async (servers, lag, commands) => {
        const world = new World(createLags(lag));
        for (let count = 0; count < servers; count += 1) await world.addServer();
        await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
        await concludeWorld(world);
      }),
      { numRuns: 10_000 },
    );
  });
});
