import type { GenerationEvent } from "fullstop";
import { Answer } from "../../answer/fold.ts";
import { followStream } from "../../api/event-stream.ts";
import { eventsAddress } from "../../api/generations.ts";
import { describeError } from "../../api/http.ts";
import { eachFrame } from "../../state/each-frame.ts";
import { Watchers } from "../../state/observable.ts";

/** How reading is getting on. */
type ReadingState =
  | { readonly type: "loading" }
  /** What came first is there; more may follow. */
  | { readonly type: "reading" }
  | { readonly type: "away" }
  | { readonly type: "failed"; readonly message: string };

/** The events of one generation, which may still run. */
export class OpenedGeneration extends Watchers {
  state: ReadingState = { type: "loading" };
  readonly answer = new Answer();
  readonly events: GenerationEvent[] = [];
  readonly #changed: () => void = eachFrame(() => this.tell());

  /** Reads them to the last one, or until the signal fires. */
  async follow(id: string, signal: AbortSignal): Promise<void> {
    const read: (json: string) => GenerationEvent = JSON.parse;
    try {
      await followStream(
        {
          address: () => eventsAddress(id, this.answer.offset),
          take: ({ event: kind, data }) => {
            // What is held back is not decided.
            if (kind === "held") return false;
            const event = read(data);
            this.events.push(event);
            this.answer.add(event);
            this.#set({ type: "reading" });
            return event.type === "finish";
          },
          onConnection: (isConnected) => this.#set({ type: isConnected ? "reading" : "away" }),
        },
        signal,
      );
    } catch (error) {
      if (!signal.aborted) this.#set({ type: "failed", message: describeError(error) });
    }
  }

  #set(state: ReadingState): void {
    this.state = state;
    this.#changed();
  }
}
