import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/control/index.ts";
import { STORE_CONTRACT } from "../../src/testing/index.ts";
import type { StoreHarness } from "../../src/testing/index.ts";
import { createMovingClock } from "../support/moving-clock.ts";

function harness(): StoreHarness {
  const clock = createMovingClock();
  const store = createMemoryStore({ clock });
  return {
    open: async () => store,
    pass: (milliseconds) => clock.advance(milliseconds),
  };
}

describe("the store in memory", () => {
  it.each(STORE_CONTRACT)("$name", async ({ run }) => {
    await expect(run(harness())).resolves.toBeUndefined();
  });
});
