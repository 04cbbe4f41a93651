import type { Observation } from "../observation.ts";
import { caseOf } from "./case.ts";
import type { Check, Problem } from "./case.ts";
import { CLIENT, OFFICIAL, UNBROKEN } from "./checks-of-clients.ts";
import { BEGINNING, NO_DELAY, WHOLE } from "./checks-of-content.ts";
import { BOUNDED, HUNG_UP, ORDERS, RESUMED } from "./checks-of-control.ts";
import { COUNTED, ONE_FINISH, RAW_WORDS, TRUTHFUL } from "./checks-of-ending.ts";

/** The checks of one generation. Those that compare several are in `across.ts`. */
export const CHECKS: readonly Check[] = [
  ONE_FINISH,
  TRUTHFUL,
  RAW_WORDS,
  COUNTED,
  WHOLE,
  BEGINNING,
  NO_DELAY,
  CLIENT,
  UNBROKEN,
  OFFICIAL,
  ORDERS,
  RESUMED,
  HUNG_UP,
  BOUNDED,
];

/** What a generation has come to, and what is wrong with it. */
export interface Verdict {
  readonly number: number;
  /** How it ended, or that it never began. */
  readonly ending: string;
  readonly problems: readonly Problem[];
  /** Problems that do not count: a store that is slow may lose in a crash what was shown without it. */
  readonly excused: number;
}

/** The checks that compare what clients have with what is kept. */
const OF_STORE: readonly Check[] = [ONE_FINISH, CLIENT, OFFICIAL, ORDERS, RESUMED];

/** Holds everything that was seen of a generation against what has to come of it. */
export function checkGeneration(observation: Observation): Verdict {
  const { plan, houseFault, wasStoreSlow } = observation;
  const subject = caseOf(observation);
  const find = (checks: readonly Check[]): readonly Problem[] =>
    checks.flatMap(({ name: check, guarantees, run }) =>
      run(subject)
        .filter((problem) => problem !== false)
        .map((problem) => ({ check, guarantees, problem })),
    );
  const isExcused = houseFault !== undefined && wasStoreSlow;
  const problems = find(CHECKS.filter((check) => !(isExcused && OF_STORE.includes(check))));
  const excused = isExcused ? find(OF_STORE).length : 0;
  const ending = subject.kept?.signal?.reason ?? (subject.isRefused ? "refused" : "unknown to its client");
  return { number: plan.number, ending, problems, excused };
}
