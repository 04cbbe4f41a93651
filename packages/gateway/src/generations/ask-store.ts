import type { Clock } from "fullstop";
import type { Operations } from "../operations/operations.ts";
import { RequestError } from "../request-error.ts";
import { unrefClock } from "../unref-clock.ts";

/** How long what runs elsewhere is waited for, before what runs here is told without it. */
export const LIST_PATIENCE = 1_000;

/** How long one question may take. Redis is given up after two seconds by its own store, which knows more to say of it. */
const ANSWER_PATIENCE = 3_000;

/**
 * The last part of this time, which has a timer of its own. A process that was busy itself finds the first one to be
 * over before it has heard what the store has said; by the second it has.
 */
const SECOND_LOOK = 40;

/**
 * What a store answers to one question, or a rejection where it does not answer at all. It is for each question and not
 * for all that a request needs: a stop may wait for another replica, and a long history is read in many steps.
 */
export function inTime<T>(
  answer: Promise<T>,
  milliseconds: number = ANSWER_PATIENCE,
  clock: Clock = unrefClock,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`The store has not answered for ${milliseconds} ms`));
    let cancel = clock.after(milliseconds - SECOND_LOOK, () => (cancel = clock.after(SECOND_LOOK, giveUp)));
    answer.finally(() => cancel()).then(resolve, reject);
  });
}

/** What a store answers to whoever asks the gateway; they are told in words when it cannot be reached. */
export async function askStore<T>(operations: Pick<Operations, "reportStoreFailure">, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // What is wrong with the request itself has nothing to do with the store.
    if (error instanceof RequestError) throw error;
    operations.reportStoreFailure(error);
    throw new RequestError("overloaded", "The store of generations cannot be reached; try again later", {
      status: 503,
    });
  }
}
