import { useEffect, useState } from "preact/hooks";

/** Something that can be watched. */
export interface Watchable {
  /** Calls back whenever it has changed, until the returned function is called. */
  watch(changed: () => void): () => void;
}

/** A value that can be watched. */
export interface Observable<T> extends Watchable {
  get(): T;
  set(value: T): void;
}

/** Whoever watches something. */
export class Watchers implements Watchable {
  readonly #watchers = new Set<() => void>();

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  tell(): void {
    for (const changed of this.#watchers) changed();
  }
}

/** Makes a value that can be watched. */
export function createObservable<T>(initial: T): Observable<T> {
  const watchers = new Watchers();
  let current = initial;
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      watchers.tell();
    },
    watch: (changed) => watchers.watch(changed),
  };
}

/** Renders a component again whenever something has changed. */
export function useWatch(watchable: Watchable): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    const render = (): void => setCount((count) => count + 1);
    // It may have changed between the first rendering and now.
    render();
    return watchable.watch(render);
  }, [watchable]);
}

/** The value of an observable, current at every rendering. */
export function useValue<T>(observable: Observable<T>): T {
  useWatch(observable);
  return observable.get();
}
