import { planMarks } from "./mark-plan.ts";
import type { MarkPlan } from "./mark-plan.ts";

/**
 * What counts as a loop, worked out once and shared by any number of detectors. A "streak" at period p is the
 * number of symbols at the end of the input that each equal the symbol p places before; a run of c copies is a
 * streak of (c - 1) * p.
 */
export interface PeriodProfile {
  readonly longestPeriod: number;
  /** For each period, the streak at which a run is first judged; 0 for periods that never matter. */
  readonly firstLook: Int32Array;
  /** The streak that a run needs to be a loop, given what repeats. Absent where the first look is all it needs. */
  streakNeeded?(period: number, symbolAt: (back: number) => number): number;
  /** The length of the unit to report for a period. Absent where that is the period itself. */
  reportedUnit?(period: number): number;
}

/** A loop, at the moment at which it was recognised. */
export interface Loop {
  /** The length of the unit that repeats. */
  readonly period: number;
  /** How many symbols at the end of the input belong to the run, its first copy included. */
  readonly length: number;
}

/** Code units, or token ids. */
type Symbols = Uint16Array | Int32Array;

/** Runs followed at the same time; more than a handful only in text that is one repetition inside another. */
const MOST_RUNS = 16;
const FILTER_SIZE = 2048;
const FILTER_MASK = FILTER_SIZE - 1;
const MULTIPLIER = 0x2c1b3c6d;

/**
 * Watches a sequence of symbols (code units, or token ids) for a unit that repeats at its end.
 *
 * It looks at no period by itself. It marks some positions of the input, the more sparsely the longer the periods
 * they are for, and remembers a hash of the few symbols before each. When the same few symbols come again, the
 * distance is a candidate period: the run is measured once, backwards, and from then on costs one comparison a
 * symbol until it breaks. So a symbol costs the same whatever the longest period is.
 */
export class PeriodDetector {
  readonly #profile: PeriodProfile;
  readonly #plan: MarkPlan;
  readonly #gramLength: number;
  readonly #spacingMask: number;
  /**
   * The last symbols, in a ring. It goes back for two of the longest periods, and for four of them while they are
   * short: most runs are met within two, and measured as far as the ring goes.
   */
  readonly #window: Symbols;
  readonly #windowMask: number;
  /** Number of symbols seen; the newest one has index `count - 1`. */
  #count = 0;
  /** Rolling hash of the last few symbols, and the factor that takes the oldest of them out again. */
  #hash = 0;
  readonly #oldestFactor: number;

  /** The marks, in one ring a level, and where each level's next mark goes. */
  readonly #markHash: Int32Array;
  readonly #markPosition: Int32Array;
  readonly #nextMark: Int32Array;
  /** The number of marks in each bucket of hashes: most symbols are done with after one look at it. */
  readonly #filter = new Uint8Array(FILTER_SIZE);

  /** The runs being followed, unordered: period, streak, and the streak at which to judge it next. */
  readonly #periods = new Int32Array(MOST_RUNS);
  readonly #streaks = new Int32Array(MOST_RUNS);
  readonly #looks = new Int32Array(MOST_RUNS);
  #runCount = 0;
  #found: Loop | undefined;
  /** The number of symbols at which it was found. */
  #foundAt = 0;

  /** The kind of list must have room for any symbol. A gateway has hundreds of them at once, so that size matters. */
  constructor(profile: PeriodProfile, SymbolList: new (length: number) => Symbols) {
    const plan = planMarks(profile);
    const { longestPeriod } = profile;
    const wanted = Math.max(2 * (longestPeriod + plan.gramLength), Math.min(4 * longestPeriod, 2048));
    this.#profile = profile;
    this.#plan = plan;
    this.#gramLength = plan.gramLength;
    this.#spacingMask = (1 << plan.spacingShift) - 1;
    this.#window = new SymbolList(2 ** Math.ceil(Math.log2(wanted)));
    this.#windowMask = this.#window.length - 1;
    this.#markHash = new Int32Array(plan.markCount);
    this.#markPosition = new Int32Array(plan.markCount).fill(-1);
    this.#nextMark = Int32Array.from(plan.levels, (level) => level.firstMark);
    let factor = 1;
    for (let power = 0; power < plan.gramLength; power++) factor = Math.imul(factor, MULTIPLIER);
    this.#oldestFactor = factor;
  }

  /**
   * Takes the code units of a text from an index on, up to the first with which the input ends in a loop. Returns the
   * index after that one, or 0 when all were taken without.
   */
  readText(text: string, from: number): number {
    const window = this.#window;
    const windowMask = this.#windowMask;
    const gramLength = this.#gramLength;
    const oldestFactor = this.#oldestFactor;
    const spacingMask = this.#spacingMask;
    const filter = this.#filter;
    let count = this.#count;
    let hash = this.#hash;
    for (let index = from; index < text.length; index++) {
      const symbol = text.charCodeAt(index);
      hash = roll(hash, symbol, window[(count - gramLength) & windowMask]!, oldestFactor);
      window[count & windowMask] = symbol;
      count += 1;
      // Most symbols are done with here: no run is being followed, no mark has this hash, no mark is due.
      const isQuiet = this.#runCount === 0 && filter[hash & FILTER_MASK] === 0 && ((count - 1) & spacingMask) !== 0;
      if (isQuiet) continue;
      this.#count = count;
      this.#hash = hash;
      if (this.#settle()) return index + 1;
    }
    this.#count = count;
    this.#hash = hash;
    return 0;
  }

  /** Takes one symbol, a token id for example; true when the input so far ends in a loop. */
  push(symbol: number): boolean {
    const oldest = this.#window[(this.#count - this.#gramLength) & this.#windowMask]!;
    this.#hash = roll(this.#hash, symbol, oldest, this.#oldestFactor);
    this.#window[this.#count++ & this.#windowMask] = symbol;
    return this.#settle();
  }

  /** The loop that was found last. */
  get loop(): Loop | undefined {
    return this.#found;
  }

  /** How many symbols at the end repeat earlier ones in a run that is being followed. */
  get streak(): number {
    let longest = 0;
    for (let run = 0; run < this.#runCount; run++) longest = Math.max(longest, this.#streaks[run]!);
    return longest;
  }

  /** The symbol `back` places before the newest one, for as long as the window goes. */
  symbolAt(back: number): number {
    return this.#window[(this.#count - 1 - back) & this.#windowMask]!;
  }

  /** Does what the newest symbol calls for; true when the input now ends in a loop. */
  #settle(): boolean {
    let found = this.#runCount > 0 && this.#extendRuns();
    if (this.#filter[this.#hash & FILTER_MASK] !== 0 && this.#meetMarks()) found = true;
    const position = this.#count - 1;
    if ((position & this.#spacingMask) === 0) this.#leaveMark(position);
    return found;
  }

  /** Lengthens or drops each run; true when one of them has become a loop. */
  #extendRuns(): boolean {
    const symbol = this.symbolAt(0);
    let found = false;
    for (let run = this.#runCount - 1; run >= 0; run--) {
      if (this.symbolAt(this.#periods[run]!) !== symbol) {
        this.#dropRun(run);
        continue;
      }
      const streak = this.#streaks[run]! + 1;
      this.#streaks[run] = streak;
      if (streak >= this.#looks[run]! && this.#judge(run)) found = true;
    }
    return found;
  }

  /** Decides about a run that is long enough to look at. One that is no loop gets a later look. */
  #judge(run: number): boolean {
    const period = this.#periods[run]!;
    const streak = this.#streaks[run]!;
    const needed = this.#profile.streakNeeded?.(period, (back) => this.symbolAt(back)) ?? 0;
    if (streak < needed) {
      this.#looks[run] = needed;
      return false;
    }
    // Somebody may want to go on all the same; the same run is then not judged for every symbol.
    this.#looks[run] = streak + period;
    // Of several that end here the shortest unit is reported, whichever was met first.
    const unit = this.#profile.reportedUnit?.(period) ?? period;
    if (this.#foundAt !== this.#count || unit < this.#found!.period) {
      this.#found = { period: unit, length: streak + period };
      this.#foundAt = this.#count;
    }
    return true;
  }

  #dropRun(run: number): void {
    const last = this.#runCount - 1;
    this.#periods[run] = this.#periods[last]!;
    this.#streaks[run] = this.#streaks[last]!;
    this.#looks[run] = this.#looks[last]!;
    this.#runCount = last;
  }

  /** Considers every mark with the hash of the newest symbols. True when a run turns out to be a loop already. */
  #meetMarks(): boolean {
    let found = false;
    for (const { firstMark, marks, longestPeriod } of this.#plan.levels) {
      for (let mark = firstMark; mark < firstMark + marks; mark++) {
        if (this.#markHash[mark] !== this.#hash || this.#markPosition[mark]! < 0) continue;
        const period = this.#count - 1 - this.#markPosition[mark]!;
        if (period <= longestPeriod && this.#startRun(period)) found = true;
      }
    }
    return found;
  }

  #startRun(period: number): boolean {
    const firstLook = this.#profile.firstLook[period]!;
    const run = this.#runCount;
    if (firstLook === 0 || run === MOST_RUNS) return false;
    for (let other = 0; other < run; other++) {
      // Known already, or implied by a shorter run that covers a whole period of this one and more. A mark meets the
      // shortest period first, so this is also what makes sure that only primitive units are followed.
      const otherPeriod = this.#periods[other]!;
      if (otherPeriod === period) return false;
      if (otherPeriod < period && (this.#streaks[other]! >= period || this.#liesWithin(other, period))) return false;
    }
    const streak = this.#measure(period);
    // Equal hashes of different symbols: there is no run.
    if (streak < Math.min(this.#gramLength, firstLook)) return false;
    this.#runCount = run + 1;
    this.#periods[run] = period;
    this.#streaks[run] = streak;
    this.#looks[run] = firstLook;
    return streak >= firstLook && this.#judge(run);
  }

  /**
   * Whether a candidate repeats no more than a shorter run does, told by the symbol before that run. In a row of
   * dashes every distance to an earlier row is such a candidate: measuring them all would read the rows over and
   * over. A candidate that is more than that comes up again once it has grown, in time for profiles that want to
   * see it repeat at least twice.
   */
  #liesWithin(run: number, period: number): boolean {
    if (this.#streaks[run]! < this.#gramLength || this.#profile.firstLook[period]! < 2 * period) return false;
    const before = this.#streaks[run]! + this.#periods[run]!;
    if (before + period >= Math.min(this.#count, this.#window.length)) return true;
    return this.symbolAt(before) !== this.symbolAt(before + period);
  }

  #measure(period: number): number {
    const most = Math.min(this.#count, this.#window.length) - period;
    let streak = 0;
    while (streak < most && this.symbolAt(streak) === this.symbolAt(streak + period)) streak += 1;
    return streak;
  }

  #leaveMark(position: number): void {
    const { levels, spacingShift } = this.#plan;
    // The number of trailing zeros: every second mark is of the first level, every fourth of the second, and so on.
    const step = (position >> spacingShift) | (1 << (levels.length - 1));
    const level = 31 - Math.clz32(step & -step);
    const { firstMark, marks } = levels[level]!;
    const mark = this.#nextMark[level]!;
    this.#nextMark[level] = mark + 1 < firstMark + marks ? mark + 1 : firstMark;
    const filter = this.#filter;
    if (this.#markPosition[mark]! >= 0) filter[this.#markHash[mark]! & FILTER_MASK]! -= 1;
    this.#markPosition[mark] = position;
    this.#markHash[mark] = this.#hash;
    filter[this.#hash & FILTER_MASK]! += 1;
  }
}

/** The hash after a symbol has come in and the oldest one, which is multiplied into it by now, has gone out. */
function roll(hash: number, symbol: number, oldest: number, oldestFactor: number): number {
  return (Math.imul(hash, MULTIPLIER) + symbol - Math.imul(oldest, oldestFactor)) | 0;
}
