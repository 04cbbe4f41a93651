import type { GenerationEvent } from "../events.ts";
import type { Sink, Stage } from "../stage.ts";

/**
 * Takes away what belongs to a model's markers and not to what they frame: the line breaks directly behind one, and a
 * marker that frames nothing, such as a second closing one after thinking that was broken off. It comes after the
 * reasoning splitter. Tokens are counted elsewhere, so their ids stay.
 *
 * `hidden` are markers that must not show when they turn up in text; `others` are those that somebody further on reads.
 */
export function defineMarkerFrame(
  hidden: readonly number[],
  others: readonly number[],
): Stage<GenerationEvent, GenerationEvent> {
  const hiddenIds = new Set(hidden);
  const markerIds = new Set([...hidden, ...others]);
  return (next) => new MarkerFrame(next, hiddenIds, markerIds);
}

class MarkerFrame implements Sink<GenerationEvent> {
  readonly #next: Sink<GenerationEvent>;
  readonly #hidden: ReadonlySet<number>;
  readonly #markers: ReadonlySet<number>;
  #isBehindMarker = false;

  constructor(next: Sink<GenerationEvent>, hidden: ReadonlySet<number>, markers: ReadonlySet<number>) {
    this.#next = next;
    this.#hidden = hidden;
    this.#markers = markers;
  }

  push(event: GenerationEvent): void {
    if (event.type !== "text" && event.type !== "reasoning") {
      this.#next.push(event);
      return;
    }
    // A local model sends its tokens one by one, so a marker is alone in its event.
    const id = event.tokenIds?.[0];
    if (id !== undefined && this.#markers.has(id)) {
      this.#isBehindMarker = true;
      this.#next.push(this.#hidden.has(id) ? { ...event, text: "" } : event);
      return;
    }
    if (!this.#isBehindMarker) {
      this.#next.push(event);
      return;
    }
    const text = event.text.replace(/^\n+/u, "");
    if (text !== "") this.#isBehindMarker = false;
    this.#next.push({ ...event, text });
  }

  end(): void {
    this.#next.end();
  }
}
