import { invalidArgument } from "../errors.ts";
import { isTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { Step, StopRule } from "./step.ts";

/** A rule that holds after a step, and how much weight it has: among several, the lowest rank is the reason. */
export interface RuleHit {
  readonly rank: number;
  readonly signal: TerminationSignal;
}

/** Rules of one rank. */
export interface RankedRules {
  readonly rank: number;
  readonly rules: readonly StopRule[];
}

interface ActiveRule {
  readonly name: string;
  readonly rank: number;
  readonly check: (step: Step) => TerminationSignal | undefined;
}

/**
 * The rules of one generation that are looked at after each step. A rule that throws is reported once and switched
 * off; the others, and the generation, go on.
 */
export class RuleRunner {
  readonly #active: ActiveRule[] = [];
  readonly #onRuleError: (ruleName: string, error: unknown) => void;

  constructor(groups: readonly RankedRules[], onRuleError: (ruleName: string, error: unknown) => void) {
    this.#onRuleError = onRuleError;
    for (const { rank, rules } of groups) for (const rule of rules) this.#start(rule, rank);
  }

  /** The rules that hold after this step, or undefined when none does, which is nearly always. */
  run(step: Step): readonly RuleHit[] | undefined {
    let hits: RuleHit[] | undefined;
    for (let index = 0; index < this.#active.length; index++) {
      const { name, rank, check } = this.#active[index]!;
      try {
        const signal = check(step);
        if (signal === undefined) continue;
        if (!isTerminationSignal(signal)) throw invalidArgument(`rule "${name}"`, "must answer with a signal", signal);
        hits = [...(hits ?? []), { rank, signal }];
      } catch (error) {
        this.#active.splice(index, 1);
        index -= 1;
        this.#onRuleError(name, error);
      }
    }
    return hits;
  }

  #start(rule: StopRule, rank: number): void {
    try {
      this.#active.push({ name: rule.name, rank, check: rule.start() });
    } catch (error) {
      this.#onRuleError(rule.name, error);
    }
  }
}
