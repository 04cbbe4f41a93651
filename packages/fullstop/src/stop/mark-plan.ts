import type { PeriodProfile } from "./period-detector.ts";

/** The marks that serve one range of periods. */
interface MarkLevel {
  readonly firstMark: number;
  readonly marks: number;
  /** The longest period these marks are for; an older mark than that is not looked at. */
  readonly longestPeriod: number;
}

/** Where a period detector leaves its marks, and how many symbols it hashes at each. */
export interface MarkPlan {
  readonly gramLength: number;
  /** Marks of level n lie `2 ** (spacingShift + n)` symbols apart. */
  readonly spacingShift: number;
  readonly levels: readonly MarkLevel[];
  readonly markCount: number;
}

const plans = new WeakMap<PeriodProfile, MarkPlan>();

/** The plan for a profile, made once for all detectors that share it. */
export function planMarks(profile: PeriodProfile): MarkPlan {
  let plan = plans.get(profile);
  if (plan === undefined) {
    plan = createPlan(profile);
    plans.set(profile, plan);
  }
  return plan;
}

/**
 * Places marks so densely that every run meets two of them, each after enough symbols to be hashed, before it is
 * first judged and before it has repeated once. Longer periods are served by higher levels, with fewer marks.
 */
function createPlan({ longestPeriod, firstLook }: PeriodProfile): MarkPlan {
  let shortestLook = Infinity;
  for (let period = 1; period <= longestPeriod; period++) {
    if (firstLook[period] !== 0) shortestLook = Math.min(shortestLook, firstLook[period]!);
  }
  const gramLength = Math.min(16, lowerPowerOfTwo(shortestLook / 2));
  const spacing = Math.min(16, lowerPowerOfTwo((shortestLook - gramLength) / 2));

  const longestByLevel: number[] = [];
  for (let period = 1; period <= longestPeriod; period++) {
    if (firstLook[period] === 0) continue;
    const distance = Math.min((firstLook[period]! - gramLength) / 2, period / 2);
    longestByLevel[Math.log2(lowerPowerOfTwo(distance / spacing))] = period;
  }
  let markCount = 0;
  let longest = 0;
  const levels = Array.from(longestByLevel, (longestHere: number | undefined, level): MarkLevel => {
    longest = Math.max(longest, longestHere ?? 0);
    // Positions of the highest level are all its multiples; those of a lower one are only the odd multiples.
    const distance = spacing * 2 ** level * (level === longestByLevel.length - 1 ? 1 : 2);
    const firstMark = markCount;
    const marks = Math.ceil(longest / distance) + 1;
    markCount += marks;
    return { firstMark, marks, longestPeriod: longest };
  });
  return { gramLength, spacingShift: Math.log2(spacing), levels, markCount };
}

function lowerPowerOfTwo(value: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(1, value)));
}
