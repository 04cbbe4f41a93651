/** Somebody who has something to do that can wait until the others have been looked at. */
export interface TurnTaker {
  /** Does it. It must not throw. */
  takeTurn(): void;
}

/**
 * Lets all that the sockets bring in one round of the event loop be dealt with together, when every socket has been
 * read, and not each before the next is read. What is written in between wakes whoever reads it anew each time. Answers
 * that were written so took a fifth more of the processor's time in forty streams at once, on a machine whose caches
 * others use as well, and a sixth more where they were whole; requests that were sent so took a quarter more on top. A
 * single one waits for nobody. And when a request is sent it is known which connections have been closed by then.
 */
export class Turns {
  #waiting: TurnTaker[] = [];
  readonly #run = (): void => {
    const takers = this.#waiting;
    this.#waiting = [];
    for (const taker of takers) taker.takeTurn();
  };

  /** Gives somebody a turn in this round. Whoever is given one has to wait for it before asking again. */
  give(taker: TurnTaker): void {
    this.#waiting.push(taker);
    if (this.#waiting.length === 1) setImmediate(this.#run);
  }
}
