import { listModels } from "../api/generations.ts";
import type { Model } from "../api/generations.ts";
import { persist } from "../api/persist.ts";
import { createObservable } from "./observable.ts";
import type { Observable } from "./observable.ts";

/** The models there are, as far as they are known. */
export type ListedModels =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly models: readonly Model[] }
  | { readonly state: "failed"; readonly error: unknown };

/** The models that can be asked. */
export const models: Observable<ListedModels> = createObservable<ListedModels>({ state: "loading" });

/** Asks the gateway which models there are, until it answers or the signal fires. */
export async function loadModels(signal: AbortSignal): Promise<void> {
  const fail = (error: unknown): void => {
    if (!signal.aborted) models.set({ state: "failed", error });
  };
  try {
    models.set({ state: "ready", models: await persist(listModels, signal, fail) });
  } catch (error) {
    fail(error);
  }
}
