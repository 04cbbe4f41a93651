import type { AgentEvent } from "fullstop/agent";
import type { GenerationEvent } from "fullstop";
import { phaseOf } from "fullstop/control";
import type { GenerationPhase } from "fullstop/control";
import type { AnswerView } from "../text/render-answer.ts";
import type { Words } from "../words/words.ts";
import { SeenEvents } from "./seen-text.ts";
import type { Seam } from "./seen-text.ts";

/** Puts together what is to be seen of an answer from what happens in the run. */
export class AnswerProgress {
  /** What the model generates, for the record: of all its turns in one. */
  readonly events: GenerationEvent[] = [];
  /** Where it is not simply put together. */
  readonly seams: Seam[] = [];
  readonly #words: Words;
  readonly #seen = new SeenEvents();
  #phase: GenerationPhase = "waiting";
  #hasSpoken = false;
  readonly #tools = new Map<string, string>();

  constructor(words: Words) {
    this.#words = words;
  }

  get phase(): GenerationPhase {
    return this.#phase;
  }

  /** Whether the model has said anything, be it a thought or a call. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** Whether there is nothing to be seen yet. */
  get isEmpty(): boolean {
    return this.text === "" && this.#seen.thinking === "" && this.#tools.size === 0;
  }

  /** All that was said so far, also before tools were called. */
  get text(): string {
    return this.#seen.text;
  }

  push(event: AgentEvent): void {
    switch (event.type) {
      case "turn-start":
        this.#phase = "waiting";
        if (event.isNewAnswer && this.events.length > 0) this.#sew("all");
        return;
      case "rewind":
        this.#sew(event.keep);
        return;
      case "generation":
        this.#add(event.event);
        return;
      case "tool-start":
        this.#tools.set(event.call.callId, event.call.name);
        return;
      case "tool-end":
        this.#tools.delete(event.call.callId);
        return;
      default:
        return;
    }
  }

  /** What is to be seen now; `mark` says how it ended, once it has and if that has to be said. */
  view(state: { readonly isRunning: boolean; readonly mark?: string | undefined }): AnswerView {
    const notes = state.isRunning ? [...this.#tools.values()].map((name) => this.#words.tool(name)) : [];
    return {
      thinking: this.#seen.thinking,
      text: this.text,
      notes,
      mark: state.mark,
      // While more text comes they would only be pushed down by it.
      ...(!state.isRunning && { sources: { heading: this.#words.sources, sources: this.#seen.sources } }),
      isRunning: state.isRunning,
      placeholder: this.#words.placeholder,
    };
  }

  #sew(keep: Seam["keep"]): void {
    this.seams.push({ events: this.events.length, keep });
    this.#seen.sew(keep);
  }

  #add(event: GenerationEvent): void {
    const phase = phaseOf(event);
    this.#phase = phase ?? this.#phase;
    this.#hasSpoken ||= phase !== undefined;
    this.#seen.add(event);
    // One record has one start, and its usage is that of all turns, which comes at the end.
    if (event.type !== "usage" && (event.type !== "start" || this.events.length === 0)) this.events.push(event);
  }
}
