import type { Unwatch } from "./store.ts";

/** Tells whoever watches a topic that something has happened to it, within one process. */
export class Noticeboard<Notice> {
  readonly #watchers = new Map<string, Set<(notice: Notice) => void>>();

  /** Calls back for every notice on a topic. What is called must not throw: whoever posts has nothing to do with it. */
  watch(topic: string, noticed: (notice: Notice) => void): Unwatch {
    // Every watcher is one of its own, also if the same function watches twice.
    const watcher = (notice: Notice): void => noticed(notice);
    const watchers = this.#watchers.get(topic) ?? new Set();
    this.#watchers.set(topic, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(topic) === watchers) this.#watchers.delete(topic);
    };
  }

  /** The topics that somebody watches. */
  topics(): readonly string[] {
    return [...this.#watchers.keys()];
  }

  post(topic: string, notice: Notice): void {
    const watchers = this.#watchers.get(topic);
    if (watchers === undefined) return;
    // Those that are there now: a watcher that is called may watch again, and would be called for ever.
    for (const watcher of new Set(watchers)) if (watchers.has(watcher)) watcher(notice);
  }

  clear(): void {
    for (const watchers of this.#watchers.values()) watchers.clear();
    this.#watchers.clear();
  }
}
