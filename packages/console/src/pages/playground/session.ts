import type { GenerationEvent } from "fullstop";
import { Answer } from "../../answer/fold.ts";
import { followStream } from "../../api/event-stream.ts";
import { eventsAddress, startGeneration } from "../../api/generations.ts";
import type { StopMode } from "../../api/generations.ts";
import { ApiError, access, describeError } from "../../api/http.ts";
import { stopOrders } from "../../api/stop-orders.ts";
import { eachFrame } from "../../state/each-frame.ts";
import { Watchers } from "../../state/observable.ts";
import { readSession, saveSession } from "./saved-session.ts";
import type { SavedTurn } from "./saved-session.ts";
import { chatRequestOf, stopSettingsOf } from "./settings.ts";
import type { PlaygroundSettings } from "./settings.ts";
import type { Prompt, Turn, TurnState } from "./turn.ts";

/** The conversation of the playground and the settings of its next answer. It lives as long as the page. */
export class PlaygroundSession extends Watchers {
  settings: PlaygroundSettings;
  turns: readonly Turn[];
  #conversation = new AbortController();
  readonly #changed: () => void = eachFrame(() => this.tell());

  constructor() {
    super();
    const { settings, turns } = readSession();
    this.settings = settings;
    this.turns = turns.map((saved) => createTurn(saved.prompt, stateOf(saved)));
    for (const turn of this.turns) if (turn.state.type === "following") this.#goOn(turn, turn.state.id);
    access.watch(() => this.#tryAgain());
  }

  /** The turn that is being answered, if one is. */
  get current(): Turn | undefined {
    const last = this.turns.at(-1);
    return last?.state.type === "asking" || last?.state.type === "following" ? last : undefined;
  }

  /** Whether the next answer can be asked for: not before every answer so far is there, as it is sent along. */
  get canAsk(): boolean {
    return this.turns.every(({ state }) => state.type !== "asking" && state.type !== "following");
  }

  change(settings: Partial<PlaygroundSettings>): void {
    this.settings = { ...this.settings, ...settings };
    this.#save();
  }

  /** Asks for the next answer. */
  ask(prompt: Prompt): void {
    if (!this.canAsk) return;
    const turn = createTurn(prompt, { type: "asking" });
    // What has failed and said nothing is no part of the conversation.
    const said = this.turns.filter(({ state, answer }) => state.type !== "failed" || answer.parts.length > 0);
    this.turns = [...said, turn];
    this.#save();
    void this.#start(turn, this.#conversation.signal);
  }

  /** Asks the last question again. */
  regenerate(): void {
    const last = this.turns.at(-1);
    if (last === undefined || !this.canAsk) return;
    this.turns = this.turns.slice(0, -1);
    this.ask(last.prompt);
  }

  /** Stops the answer that is on its way, or its thinking: now, or as soon as the gateway can be told. */
  stop(mode: StopMode): void {
    const { current } = this;
    if (current !== undefined) this.#order(current, mode);
  }

  /** Begins a new conversation. What is on its way is stopped. */
  clear(): void {
    const { current } = this;
    this.#conversation.abort();
    this.#conversation = new AbortController();
    this.turns = [];
    this.#save();
    if (current !== undefined) this.#order(current, "stop");
  }

  /** Reads an answer that was on its way when the page was left, and goes on with what was ordered about it. */
  #goOn(turn: Turn, id: string): void {
    turn.order = stopOrders.of(id);
    void this.#follow(turn, id);
    void this.#carryOut(turn, id);
  }

  async #start(turn: Turn, signal: AbortSignal): Promise<void> {
    const request = chatRequestOf(this.settings, this.turns);
    // It goes on when the page is reloaded, which then reads it by its id.
    const fullstop = { ...stopSettingsOf(this.settings), onDisconnect: "continue" };
    try {
      const id = await startGeneration({ ...request, stream: true, fullstop });
      const following = this.#follow(turn, id, signal);
      void this.#carryOut(turn, id);
      await following;
    } catch (error) {
      turn.state = { type: "failed", id: null, message: describeError(error) };
      this.#save();
    }
  }

  async #follow(turn: Turn, id: string, signal: AbortSignal = this.#conversation.signal): Promise<void> {
    const { answer } = turn;
    turn.state = { type: "following", id, isConnected: true };
    this.#save();
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
      stopOrders.withdraw(id);
    } catch (error) {
      if (signal.aborted) return;
      turn.state = { type: "failed", id, message: isGone(error) ? GONE : describeError(error) };
    }
    this.#save();
  }

  #order(turn: Turn, mode: StopMode): void {
    if (turn.order === "stop" || turn.order === mode) return;
    turn.order = mode;
    this.tell();
    // Where the id is not known yet, it is told as soon as it is.
    if (turn.state.type === "following") void this.#carryOut(turn, turn.state.id);
  }

  /** Tells the gateway what was ordered, until it has heard it or there is nothing left to stop. */
  async #carryOut(turn: Turn, id: string): Promise<void> {
    const { order } = turn;
    if (order === "none") return;
    const outcome = await stopOrders.give(id, order);
    // A refusal: it has gone, or may not be stopped. Whoever follows the answer is told the same.
    if (outcome === "refused" && turn.order === order) turn.order = "none";
    // The end of an answer shows that it was stopped; the end of thinking may be followed by another order.
    if (turn.order === "skip-thinking") turn.order = "none";
    this.tell();
  }

  /** With another key, what was refused may be read. */
  #tryAgain(): void {
    if (access.get().state !== "given") return;
    for (const turn of this.turns) {
      const { state } = turn;
      if (state.type === "failed" && state.id !== null) void this.#follow(turn, state.id);
    }
  }

  #save(): void {
    saveSession(this.settings, this.turns);
    this.tell();
  }
}

const GONE = "The gateway does not have this answer any more.";

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

let turnCount = 0;

function createTurn(prompt: Prompt, state: TurnState): Turn {
  turnCount += 1;
  return { key: turnCount, prompt, answer: new Answer(), state, order: "none" };
}

function stateOf(saved: SavedTurn): TurnState {
  if ("id" in saved) return { type: "following", id: saved.id, isConnected: true };
  return { type: "failed", id: null, message: saved.failure };
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
