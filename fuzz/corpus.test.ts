import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readCorpus, seedsOf } from "./corpus.mjs";
import { mutate } from "./mutate.mjs";
import { check } from "./oracle.mjs";
import { createRandom } from "./random.mjs";
import { loadTargets } from "./targets/index.mjs";

/** Enough to notice what breaks often; what is rare is for `npm run fuzz`. */
const MUTATIONS = 60;
const SEED = 20_261_116;

const targets = (await loadTargets()).map(({ target }) => target);

describe.each(targets)("the parser $name keeps what it promises", (target) => {
  const kept = readCorpus(target.name);

  /** What came of an input that a promise was broken for; nothing if all was well. */
  async function complaint(name: string, input: Uint8Array): Promise<string | undefined> {
    try {
      await check(target, input);
      return undefined;
    } catch (error) {
      return `${name} ${JSON.stringify(Buffer.from(input).toString("latin1"))}: ${String(error)}`;
    }
  }

  it("for every input that is kept", async () => {
    for (const [index, bytes] of seedsOf(target).entries()) {
      expect(await complaint(`seed ${index}`, bytes)).toBeUndefined();
    }
    for (const { file, bytes } of kept) expect(await complaint(file, bytes)).toBeUndefined();
  });

  it(`for ${MUTATIONS} changed ones`, async () => {
    const random = createRandom(SEED);
    const others = [...seedsOf(target), ...kept.map(({ bytes }) => bytes)];
    for (let count = 0; count < MUTATIONS; count++) {
      const input = mutate(random.pick(others), { random, others, words: target.words });
      expect(await complaint(`input ${count}`, input)).toBeUndefined();
    }
  });
});

it("every corpus belongs to a parser", () => {
  const names = new Set(targets.map(({ name }) => name));
  expect(readdirSync(`${import.meta.dirname}/corpus`).filter((folder) => !names.has(folder))).toEqual([]);
});
