import type { GenerationEvent } from "fullstop";
import { Answer } from "../../answer/fold.ts";
import { followStream } from "../../api/event-stream.ts";
import { eventsAddress, startGeneration, stopGeneration } from "../../api/generations.ts";
import type { StopMode } from "../../api/generations.ts";
import { describeError } from "../../api/http.ts";
import { eachFrame } from "../../state/each-frame.ts";
import { Watchers } from "../../state/observable.ts";
import { readSession, saveSession } from "./saved-session.ts";
import { chatRequestOf, stopSettingsOf } from "./settings.ts";
import type { PlaygroundSettings } from "./settings.ts";
import type { Prompt, Turn } from "./turn.ts";

/** The conversation of the playground and the settings of its next answer. It lives as long as the page. */
export class PlaygroundSession extends Watchers {
  settings: PlaygroundSettings;
  turns: readonly Turn[];
  #following = new AbortController();
  readonly #changed: () => void = eachFrame(() => this.tell());

  constructor() {
    super();
    const { settings, turns } = readSession();
    this.settings = settings;
    this.turns = turns.map(({ prompt, id }) => this.#resume(prompt, id));
  }

  /** The turn that is being answered, if one is. */
  get current(): Turn | undefined {
    const last = this.turns.at(-1);
    return last?.state.type === "asking" || last?.state.type === "following" ? last : undefined;
  }

  change(settings: Partial<PlaygroundSettings>): void {
    this.settings = { ...this.settings, ...settings };
    this.#save();
  }

  /** Asks for the next answer. */
  ask(prompt: Prompt): void {
    if (this.current !== undefined) return;
    const turn: Turn = { prompt, answer: new Answer(), state: { type: "asking" } };
    // What has failed and said nothing is no part of the conversation.
    this.turns = [...this.turns.filter(({ state }) => state.type !== "failed"), turn];
    this.tell();
    void this.#start(turn);
  }

  /** Asks the last question again. */
  regenerate(): void {
    const last = this.turns.at(-1);
    if (last === undefined || this.current !== undefined) return;
    this.turns = this.turns.slice(0, -1);
    this.ask(last.prompt);
  }

  /** Stops the answer that is on its way, or its thinking. */
  async stop(mode: StopMode): Promise<void> {
    const { current } = this;
    if (current?.state.type !== "following") return;
    // A failure shows as the connection that is lost; the answer then goes on or ends by itself.
    await stopGeneration(current.state.id, mode).catch(() => undefined);
  }

  /** Begins a new conversation. What is on its way is stopped. */
  async clear(): Promise<void> {
    await this.stop("stop");
    this.#following.abort();
    this.#following = new AbortController();
    this.turns = [];
    this.#save();
  }

  async #start(turn: Turn): Promise<void> {
    const request = chatRequestOf(this.settings, this.turns);
    // It goes on when the page is reloaded, which then reads it by its id.
    const fullstop = { ...stopSettingsOf(this.settings), onDisconnect: "continue" };
    try {
      const id = await startGeneration({ ...request, stream: true, fullstop });
      turn.state = { type: "following", id, isConnected: true };
      this.#save();
    } catch (error) {
      turn.state = { type: "failed", message: describeError(error) };
      this.tell();
      return;
    }
    await this.#follow(turn, turn.state.id);
  }

  #resume(prompt: Prompt, id: string): Turn {
    const turn: Turn = { prompt, answer: new Answer(), state: { type: "following", id, isConnected: true } };
    void this.#follow(turn, id);
    return turn;
  }

  async #follow(turn: Turn, id: string): Promise<void> {
    const { signal } = this.#following;
    const { answer } = turn;
    try {
      await followStream(
        {
          address: () => eventsAddress(id, answer.offset),
          take: ({ event, data }) => {
            if (event === "held") answer.held = readHeld(data);
            else answer.add(readEvent(data));
            this.#changed();
            return answer.signal !== undefined;
          },
          onConnection: (isConnected) => {
            if (turn.state.type !== "following" || turn.state.isConnected === isConnected) return;
            turn.state = { type: "following", id, isConnected };
            this.#changed();
          },
        },
        signal,
      );
      turn.state = { type: "ended", id };
    } catch (error) {
      if (signal.aborted) return;
      turn.state = { type: "failed", message: describeError(error) };
    }
    this.#save();
  }

  #save(): void {
    saveSession(this.settings, this.turns);
    this.tell();
  }
}

const readEvent: (json: string) => GenerationEvent = JSON.parse;

function readHeld(json: string): string {
  const read: (json: string) => { readonly text: string } = JSON.parse;
  return read(json).text;
}

let session: PlaygroundSession | undefined;

/** The one session of this page, which goes on while other pages are looked at. */
export function playgroundSession(): PlaygroundSession {
  session ??= new PlaygroundSession();
  return session;
}
