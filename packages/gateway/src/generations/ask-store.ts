import type { Operations } from "../operations/operations.ts";
import { RequestError } from "../request-error.ts";

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
