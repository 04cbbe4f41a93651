import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearScale, logScale, spreadOut } from "../pages/scale.mjs";

describe("a logarithmic axis", () => {
  it.each([
    { values: [1, 10_000], ticks: [1, 10, 100, 1000, 10_000] },
    { values: [42, 213_000], ticks: [10, 100, 1000, 10_000, 100_000, 1_000_000] },
    { values: [1000], ticks: [1000, 10_000] },
    { values: [0.5, 3], ticks: [0.1, 1, 10] },
  ])("of $values goes from power to power of ten", ({ values, ticks }) => {
    expect(logScale(values).ticks).toEqual(ticks);
  });

  it("can end where its values end", () => {
    const { at, ticks } = logScale([1, 2000], "values");
    expect(ticks).toEqual([1, 10, 100, 1000]);
    expect([at(1), at(2000)]).toEqual([0, 1]);
  });

  it("puts a single value in the middle where it ends with its values", () => {
    expect(logScale([7], "values").at(7)).toBe(0.5);
  });

  it("gives equal factors equal distances", () => {
    const { at } = logScale([1, 1000]);
    expect(at(100) - at(10)).toBeCloseTo(at(10) - at(1), 12);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d", (value) => {
    expect(() => logScale([1, value])).toThrow(`${value} has no place on a logarithmic axis`);
  });
});

describe("an axis from zero on", () => {
  it.each([
    { most: 1478, ticks: [0, 500, 1000, 1500] },
    { most: 7, ticks: [0, 2, 4, 6, 8] },
    { most: 0.3, ticks: [0, 0.1, 0.2, 0.3] },
    { most: 10, ticks: [0, 2, 4, 6, 8, 10] },
  ])("up to $most has round ticks", ({ most, ticks }) => {
    expect(linearScale([most]).ticks).toEqual(ticks);
  });

  it("holds every value", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), { minLength: 1 }), (values) => {
        const { at } = linearScale(values);
        for (const value of values) {
          expect(at(value)).toBeGreaterThanOrEqual(0);
          expect(at(value)).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});

describe("labels that lie on each other", () => {
  it("are left where they are if there is room", () => {
    expect(spreadOut([30, 0, 60], 16)).toEqual([30, 0, 60]);
  });

  it("move apart by the same on both sides", () => {
    expect(spreadOut([50, 50], 16)).toEqual([42, 58]);
  });

  it("push the next ones too", () => {
    expect(spreadOut([50, 50, 60], 16)).toEqual([37.333333333333336, 53.333333333333336, 69.33333333333334]);
  });

  it("never touch, and keep their order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 12 }), (positions) => {
        const spread = spreadOut(positions, 16);
        const order = [...positions.keys()].toSorted((one, other) => (positions[one] ?? 0) - (positions[other] ?? 0));
        const sorted = order.map((index) => spread[index] ?? 0);
        for (let place = 1; place < sorted.length; place++) {
          expect((sorted[place] ?? 0) - (sorted[place - 1] ?? 0)).toBeGreaterThanOrEqual(16 - 1e-9);
        }
      }),
    );
  });
});
