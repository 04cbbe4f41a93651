import { expect, it } from "vitest";
import { createTextGuard } from "../src/index.ts";

it("a million tokens through a guard leave nothing behind but its windows", () => {
  const guard = createTextGuard({
    stop: ["</answer>", "STOP"],
    repetition: true,
    maxTokens: 2_000_000,
    maxCharacters: 20_000_000,
    eosTokenIds: [50_001],
  });
  const tokens = Array.from({ length: 4096 }, (_, index) => ` w${(index * 2654435761) % 100_003}<`);
  const feed = (count: number): void => {
    for (let index = 0; index < count; index++) guard.push(tokens[(index * 31) % tokens.length]!, [index % 50_000]);
  };
  const heapAfterCollection = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
  feed(20_000);
  const before = heapAfterCollection();
  feed(1_000_000);
  const grown = heapAfterCollection() - before;
  expect(globalThis.gc).toBeDefined();
  expect(guard.signal).toBeUndefined();
  // A list that kept one number a token would have grown by eight million bytes.
  expect(grown).toBeLessThan(500_000);
});
