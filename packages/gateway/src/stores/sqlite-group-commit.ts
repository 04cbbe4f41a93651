/** What a group of writes is done within. */
export interface Transaction {
  begin(): void;
  commit(): void;
  /** Takes everything back, after a write or the commit has failed. */
  rollback(): void;
  /** Called when everybody who waited for the commit has been told of it. */
  committed(): void;
}

/** How long to gather writes after a commit. One that comes later than that is done at the end of the same turn. */
const GATHER_MILLISECONDS = 2;

/** How long the writes of one group may take, so that streams do not stand still for many of them. */
const GROUP_MILLISECONDS = 8;

interface Write {
  /** Does it, and gives what tells whoever waits. */
  readonly perform: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does writes that come at about the same time in one transaction, each in its turn. The promise of each is settled
 * after the commit, and rejected if anything in its group fails.
 */
export class GroupCommit {
  readonly #transaction: Transaction;
  #waiting: Write[] = [];
  #isScheduled = false;
  #nextAt = 0;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  /** Does a write with those that come with it. */
  add<T>(write: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const perform = (): (() => void) => {
        const result = write();
        return () => resolve(result);
      };
      this.#waiting.push({ perform, reject });
      this.#schedule();
    });
  }

  /** Does everything that waits, now. */
  drain(): void {
    while (this.#waiting.length > 0) this.#doGroup();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    const wait = this.#nextAt - performance.now();
    const run = (): void => {
      this.#isScheduled = false;
      if (this.#waiting.length > 0) this.#doGroup();
      this.#schedule();
    };
    if (wait <= 0) setImmediate(run);
    else setTimeout(run, wait);
  }

  #doGroup(): void {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      const settlings = this.#perform(group);
      this.#waiting = group.slice(settlings.length);
      for (const settle of settlings) settle();
    } catch (error) {
      for (const { reject } of group) reject(error);
      this.#transaction.rollback();
      return;
    } finally {
      this.#nextAt = performance.now() + GATHER_MILLISECONDS;
    }
    this.#transaction.committed();
  }

  /** Does as many writes as there is time for, and gives what settles their promises. */
  #perform(group: readonly Write[]): readonly (() => void)[] {
    const until = performance.now() + GROUP_MILLISECONDS;
    const settlings: (() => void)[] = [];
    this.#transaction.begin();
    for (const { perform } of group) {
      settlings.push(perform());
      if (performance.now() > until) break;
    }
    this.#transaction.commit();
    return settlings;
  }
}
