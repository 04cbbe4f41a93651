import type { Clock } from "fullstop";

/**
 * The time of the machine, but standing still within each turn of the event loop. What is decided and done in one turn
 * has one time then, however long a busy machine takes for it, so that tests can compare times exactly.
 */
export function createTurnClock(): Clock {
  let turn: number | undefined;
  const begin = (): number => {
    turn = Date.now();
    setImmediate(() => (turn = undefined));
    return turn;
  };
  return {
    now: () => turn ?? begin(),
    after(milliseconds, callback) {
      const timer = setTimeout(() => {
        begin();
        callback();
      }, milliseconds);
      return () => clearTimeout(timer);
    },
  };
}
