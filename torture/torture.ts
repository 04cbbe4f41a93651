import { setTimeout as sleep } from "node:timers/promises";
import { checkTwins, checkWhatIsLeft } from "./checker/across.ts";
import { checkGeneration } from "./checker/check.ts";
import type { Problem } from "./checker/case.ts";
import { closeConnections } from "./clients/http.ts";
import { listEnded, listRunning } from "./clients/kept.ts";
import { lookAfterwards, runClient } from "./clients/observe.ts";
import type { FirstLook } from "./clients/observe.ts";
import { openHouse } from "./house.ts";
import type { House } from "./house.ts";
import type { Observation } from "./observation.ts";
import { modelOf, planGeneration } from "./plan/plan.ts";
import { openProvider } from "./provider/provider.ts";
import type { Provider } from "./provider/provider.ts";
import { kindsOf } from "./seen.ts";

/** Between two that begin at the start: clients that all come in the same moment are another matter. */
const RAMP_MILLISECONDS = 15;

/** What is run. */
export interface TortureOptions {
  readonly seed: number;
  /** The number of the first generation. */
  readonly first: number;
  readonly count: number;
  /** How many at once. */
  readonly atOnce: number;
  /** Starts a gateway, if it is not to be this repository's own. */
  readonly program?: readonly string[];
  readonly showProgress?: (progress: string) => void;
  /** Told of everything that was seen of a generation with which something is wrong. */
  readonly onViolation?: (observation: Observation) => void;
  /** Whether to end at the first problem. */
  readonly isHasty?: boolean;
}

/** A problem of a generation, or of the whole if it has no number. */
export interface Violation extends Problem {
  readonly number: number | undefined;
}

/** What a run has found. */
export interface TortureFindings {
  readonly seed: number;
  readonly generations: number;
  readonly milliseconds: number;
  readonly endings: Readonly<Record<string, number>>;
  /** How often each kind of fault has come to pass. */
  readonly seen: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  /** Problems that do not count, because the machine was too busy for the store. */
  readonly excused: number;
}

/** Runs random generations under random faults, and holds all of them against the guarantees. */
export async function torture(options: TortureOptions): Promise<TortureFindings> {
  const began = performance.now();
  const provider = await openProvider();
  const house = await openHouse(provider.url, options.program);
  try {
    const run = new Run(options, house, provider);
    await run.all();
    return { ...run.findings(), milliseconds: Math.round(performance.now() - began) };
  } finally {
    closeConnections();
    await house.close();
    await provider.close();
  }
}

class Run {
  readonly #options: TortureOptions;
  readonly #house: House;
  readonly #provider: Provider;
  readonly #violations: Violation[] = [];
  readonly #endings: Record<string, number> = {};
  readonly #seen: Record<string, number> = {};
  /** Those of which nobody knows the id yet. */
  readonly #unknown: FirstLook[] = [];
  readonly #known = new Map<string, string>();
  readonly #looking = new Set<Promise<void>>();
  /** The last of the twins, until the other one has come. */
  readonly #twins = new Map<number, Observation>();
  #next: number;
  #done = 0;
  #excused = 0;

  constructor(options: TortureOptions, house: House, provider: Provider) {
    this.#options = options;
    this.#house = house;
    this.#provider = provider;
    this.#next = options.first;
  }

  async all(): Promise<void> {
    const { atOnce } = this.#options;
    await Promise.all(Array.from({ length: atOnce }, (_, index) => this.#work(index * RAMP_MILLISECONDS)));
    await Promise.all(this.#looking);
    await this.#lookForTheRest();
  }

  findings(): Omit<TortureFindings, "milliseconds"> {
    for (const { kind } of this.#house.faults) this.#seen[kind] = (this.#seen[kind] ?? 0) + 1;
    const { seed } = this.#options;
    const counts = { generations: this.#done, endings: this.#endings, seen: this.#seen, excused: this.#excused };
    return { seed, ...counts, violations: this.#violations };
  }

  /** Takes one generation after the other, while there are any. */
  async #work(delay: number): Promise<void> {
    await sleep(delay);
    const { seed, first, count } = this.#options;
    while (this.#next < first + count && !this.#isGivenUp()) {
      const plan = planGeneration(seed, this.#next);
      this.#next += 1;
      if (plan.houseFault !== undefined)
        this.#watch(plan.number, this.#house.fail(plan.houseFault.kind, plan.houseFault.replica));
      await this.#guarded(plan.number, async () => {
        const look = await runClient(plan, this.#house);
        if (look.id === undefined) this.#unknown.push(look);
        // What comes after its end does not keep the next one waiting: after a crash it takes seconds.
        else this.#watch(plan.number, this.#judge(look));
      });
      this.#done += 1;
      this.#options.showProgress?.(`${this.#done} of ${count}, ${this.#violations.length} violations`);
    }
  }

  async #judge(look: FirstLook): Promise<void> {
    if (look.id !== undefined) this.#known.set(modelOf(look.plan), look.id);
    const observation = await lookAfterwards(look, this.#house, this.#provider);
    const { number, ending, problems, excused } = checkGeneration(observation);
    this.#excused += excused;
    this.#endings[ending] = (this.#endings[ending] ?? 0) + 1;
    for (const kind of kindsOf(observation)) this.#seen[kind] = (this.#seen[kind] ?? 0) + 1;
    if (problems.length > 0) this.#options.onViolation?.(observation);
    this.#add(problems, number);
    const { twins } = observation.plan;
    const twin = this.#twins.get(twins);
    if (twin === undefined) this.#twins.set(twins, observation);
    else {
      this.#twins.delete(twins);
      this.#add(checkTwins(twin, observation), number);
    }
  }

  #add(problems: readonly Problem[], number: number | undefined): void {
    for (const { check, guarantees, problem } of problems)
      this.#violations.push({ check, guarantees, problem, number });
  }

  #isGivenUp(): boolean {
    return this.#options.isHasty === true && this.#violations.length > 0;
  }

  /** What nobody was told the id of is found in the history, if it has ever begun. */
  async #lookForTheRest(): Promise<void> {
    const isDone = async (): Promise<boolean> => (await listRunning(this.#house, "a")).length === 0;
    for (let tries = 0; tries < 100 && !(await isDone()); tries += 1) await sleep(100);
    const running = await listRunning(this.#house, "a");
    const ended = await listEnded(this.#house, "b");
    const byModel = new Map(ended.map(({ model, id }) => [model, id]));
    for (const look of this.#unknown) {
      const id = byModel.get(modelOf(look.plan));
      await this.#guarded(look.plan.number, () => this.#judge(id === undefined ? look : { ...look, id }));
    }
    const left = checkWhatIsLeft({ running, ended, known: this.#known, faults: this.#house.faults });
    this.#add(left, undefined);
  }

  #watch(number: number, work: Promise<void>): void {
    const watched = this.#guarded(number, () => work).finally(() => this.#looking.delete(watched));
    this.#looking.add(watched);
  }

  /** A mistake of the torture itself, or an answer that nobody can read, is a violation as well. */
  async #guarded(number: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#violations.push({ number, check: "readable", guarantees: [1, 3], problem });
    }
  }
}
