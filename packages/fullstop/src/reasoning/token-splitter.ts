import type { GenerationEvent, TextEvent } from "../events.ts";
import type { Sink } from "../stage.ts";
import type { ReasoningTokenMarkers } from "./markers.ts";
import type { SplitterSettings } from "./text-splitter.ts";

/** Finds markers by their token ids. */
export class TokenSplitter implements Sink<GenerationEvent> {
  readonly #next: Sink<GenerationEvent>;
  readonly #markers: ReasoningTokenMarkers;
  readonly #keepMarkers: boolean;
  #side: "text" | "reasoning";

  constructor(next: Sink<GenerationEvent>, markers: ReasoningTokenMarkers, settings: SplitterSettings) {
    this.#next = next;
    this.#markers = markers;
    this.#keepMarkers = settings.keepMarkers;
    this.#side = settings.startsInReasoning ? "reasoning" : "text";
  }

  push(event: GenerationEvent): void {
    if (event.type === "text") this.#read(event);
    else this.#next.push(event);
  }

  end(): void {
    this.#next.end();
  }

  #read(event: TextEvent): void {
    if (event.text === "" && event.tokenIds === undefined) return;
    let rest: TextEvent | undefined = event;
    while (rest !== undefined) rest = this.#readToMarker(rest);
  }

  /** Passes a piece on up to the next marker, goes to its other side, and returns what is left. */
  #readToMarker({ text, tokenIds }: TextEvent): TextEvent | undefined {
    const { open, close, openId, closeId } = this.#markers;
    const opens = this.#side === "text";
    const index = tokenIds?.indexOf(opens ? openId : closeId) ?? -1;
    if (tokenIds === undefined || index < 0) {
      this.#next.push({ type: this.#side, text, tokenIds });
      return undefined;
    }
    // Usually the marker is alone in its event. Where a source sends several tokens at once, the marker's own
    // spelling tells which text lies before it; a source that does not spell it out leaves all of it behind.
    const marker = opens ? open : close;
    const at = text.indexOf(marker);
    const before = at < 0 ? "" : text.slice(0, at);
    const after = at < 0 ? text : text.slice(at + marker.length);
    if (index > 0 || before !== "") {
      this.#next.push({ type: this.#side, text: before, tokenIds: tokenIds.slice(0, index) });
    }
    // The marker counts as a token of the thinking that it frames.
    const literal = this.#keepMarkers ? marker : "";
    this.#next.push({ type: "reasoning", text: literal, tokenIds: tokenIds.slice(index, index + 1) });
    this.#side = opens ? "reasoning" : "text";
    const left = tokenIds.slice(index + 1);
    return after === "" && left.length === 0 ? undefined : { type: "text", text: after, tokenIds: left };
  }
}
