import { followStream } from "../../api/event-stream.ts";
import type { LiveChange, LiveRow } from "../../api/generations.ts";
import { describeError } from "../../api/http.ts";
import { eachFrame } from "../../state/each-frame.ts";
import { Watchers } from "../../state/observable.ts";

/** How the feed is doing. */
export type FeedState =
  | { readonly type: "loading" }
  | { readonly type: "connected" }
  /** It goes on, but the gateway cannot say what runs on others. */
  | { readonly type: "partial" }
  | { readonly type: "away" }
  | { readonly type: "refused"; readonly message: string };

/** What runs at present, as the gateway tells it. */
export class LiveStore extends Watchers {
  state: FeedState = { type: "loading" };
  /** The oldest first. */
  rows: readonly LiveRow[] = [];
  readonly #byId = new Map<string, LiveRow>();
  readonly #changed: () => void = eachFrame(() => this.tell());
  #isFirst = true;

  /** Follows the feed until the signal fires. */
  async follow(signal: AbortSignal): Promise<void> {
    try {
      await followStream(
        {
          address: () => {
            this.#isFirst = true;
            return "/v1/generations/live";
          },
          take: ({ data }) => {
            const read: (json: string) => LiveChange = JSON.parse;
            const change = read(data);
            this.#apply(change);
            this.#set({ type: change.isPartial === true ? "partial" : "connected" });
            return false;
          },
          // What runs is known when it was told, not before.
          onConnection: (isConnected) => {
            if (!isConnected) this.#set({ type: "away" });
          },
        },
        signal,
      );
    } catch (error) {
      if (!signal.aborted) this.#set({ type: "refused", message: describeError(error) });
    }
  }

  #apply({ rows, gone }: LiveChange): void {
    // A connection begins with all that runs.
    if (this.#isFirst) this.#byId.clear();
    this.#isFirst = false;
    for (const row of rows) this.#byId.set(row.id, row);
    for (const id of gone) this.#byId.delete(id);
    this.rows = [...this.#byId.values()].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
    this.#changed();
  }

  #set(state: FeedState): void {
    if (state.type === this.state.type) return;
    this.state = state;
    this.#changed();
  }
}
