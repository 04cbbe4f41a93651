import type { AppendedAnswer } from "./conversation.ts";

/** How many answers are remembered. The oldest are forgotten first: a store can be away for longer than memory lasts. */
const MOST = 1_000;

interface LateAnswer {
  readonly name: string;
  readonly answer: AppendedAnswer;
}

/** The answers that are not in their conversations yet, because the store is away or has not said that they are. */
export class LateAnswers {
  #late: readonly LateAnswer[] = [];

  /** The names of the places where there are some. Those that were not tried for longest come first. */
  get names(): readonly string[] {
    return [...new Set(this.#late.map(({ name }) => name))];
  }

  add(name: string, answer: AppendedAnswer): void {
    this.#late = [...this.#late, { name, answer }].slice(-MOST);
  }

  /** Those of a place, in the order in which they came. */
  of(name: string): readonly AppendedAnswer[] {
    return this.#late.filter((each) => each.name === name).map(({ answer }) => answer);
  }

  /** Has the others tried before those of a place, so that one that can never be written does not hold them up. */
  postpone(name: string): void {
    const isMeant = (each: LateAnswer): boolean => each.name === name;
    this.#late = [...this.#late.filter((each) => !isMeant(each)), ...this.#late.filter(isMeant)];
  }

  remove(answers: readonly AppendedAnswer[]): void {
    this.#late = this.#late.filter(({ answer }) => !answers.includes(answer));
  }
}
