/** A source of numbers that look random and are the same in every run. */
export interface Random {
  /** A whole number from 0 up to, but not including, `bound`. */
  below(bound: number): number;
}

/** Creates one from a seed (a linear congruential generator; only the upper bits are used). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    below(bound) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 4_294_967_296) * bound);
    },
  };
}
