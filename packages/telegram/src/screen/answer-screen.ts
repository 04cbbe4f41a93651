import type { Clock } from "fullstop";
import { createAnswerRenderer } from "../text/render-answer.ts";
import type { AnswerView } from "../text/render-answer.ts";
import type { ChatPace } from "./chat-pace.ts";
import type { Messenger } from "./messenger.ts";
import type { Outcome } from "./outcome.ts";
import { hasSameText, planNext } from "./plan.ts";
import type { Buttons, Operation, ShownMessage, WantedMessage } from "./plan.ts";
import type { FormattedText } from "../text/formatted-text.ts";

/** Telegram shows a draft for some seconds only, so that one that has not changed is sent again. */
const DRAFT_LIFE_MILLISECONDS = 5_000;

/** Telegram shows that somebody types for five seconds. */
const TYPING_MILLISECONDS = 4_500;

/** What is to be seen of an answer at one moment, and what can be done about it. */
export interface Scene {
  readonly view: AnswerView;
  /** Under the last message. */
  readonly buttons: Buttons;
}

/** Where an answer that is being written is shown: in messages that are edited, or in Telegram's drafts. */
export type Transport = { readonly kind: "edits" } | { readonly kind: "drafts"; readonly draftId: number };

/** What a screen needs to know. */
export interface AnswerScreenOptions {
  readonly messenger: Messenger;
  /** The pace of the chat; asked for before each call. */
  readonly pace: () => ChatPace;
  readonly transport: Transport;
  /** Messages of the answer that are there already, from another process; nobody knows what is in them. */
  readonly messageIds?: readonly number[] | undefined;
  readonly clock: Clock;
  /** Fires when nothing more is to be shown, whether or not all of it was. */
  readonly closing: AbortSignal;
  /** Told of the ids of the answer's messages, whenever there is another one, before anything else is done. */
  readonly onMessages: (ids: readonly number[]) => Promise<void>;
  /** Told once if nothing can be shown any more. */
  readonly onUnreachable: (description: string) => void;
  /** Told what came of each call. */
  readonly onCall: (method: CallName, outcome: Outcome<unknown>) => void;
}

/** The calls that a screen makes. */
export type CallName = Operation["type"] | "draft";

type Step = Operation | { readonly type: "draft"; readonly draftId: number; readonly content: FormattedText };

/**
 * Shows one answer in Telegram. The newest scene wins: whatever was to be seen in between and did not come to its turn
 * is never sent. The last one is always sent, however long Telegram makes it wait.
 */
export class AnswerScreen {
  readonly #options: AnswerScreenOptions;
  readonly #render = createAnswerRenderer();
  #transport: Transport;
  /** Telegram checks formatting. Where it does not take ours, the text is shown without. */
  #formatting: "full" | "none" = "full";
  #scene: Scene | "nothing" | undefined;
  #state: "open" | "closing" | "unreachable" | "given up" = "open";
  /** The messages of the scene, rendered once. */
  #wanted: readonly WantedMessage[] = [];
  readonly #shown: ShownMessage[];
  #draft: FormattedText | undefined;
  #stopDraftTimer: (() => void) | undefined;
  #stopTyping: (() => void) | undefined;
  #work: Promise<void> | undefined;

  constructor(options: AnswerScreenOptions) {
    this.#options = options;
    this.#transport = options.transport;
    const content = { text: "", entities: [] };
    this.#shown = (options.messageIds ?? []).map((id) => ({ id, content, buttons: undefined, isGone: false }));
    options.closing.addEventListener("abort", this.#giveUp);
  }

  /** Whether it was closed before the last scene could be shown. */
  get isGivenUp(): boolean {
    return this.#state === "given up";
  }

  /** Whether anything is to be seen of the answer. */
  get isEmpty(): boolean {
    return this.#shown.length === 0 && this.#draft === undefined;
  }

  /** Shows that something is going to come, until it does. */
  announce(): void {
    if (this.#state !== "open" || !this.isEmpty) return;
    // It is only a courtesy: what comes of it does not matter.
    void this.#options.messenger.type();
    this.#stopTyping = this.#options.clock.after(TYPING_MILLISECONDS, () => this.announce());
  }

  /** Shows a scene, when it is its turn and no newer one has come. */
  show(scene: Scene): void {
    if (this.#state !== "open") return;
    this.#set(scene);
    this.#begin();
  }

  /** Shows the last scene. Fulfilled when it is seen, or cannot be. */
  async close(scene: Scene): Promise<void> {
    if (this.#state === "open") {
      this.#state = "closing";
      this.#set(scene);
      this.#begin();
    }
    await this.#settle();
  }

  /** Takes away whatever is to be seen, also what is just being sent. Fulfilled when it is gone. */
  async clear(): Promise<void> {
    if (this.#state === "open") {
      this.#state = "closing";
      this.#set("nothing");
      this.#begin();
    }
    await this.#settle();
  }

  /** Waits for what is under way, and lets go of all timers. */
  async #settle(): Promise<void> {
    this.#stopTyping?.();
    while (this.#work !== undefined) await this.#work;
    this.#stopDraftTimer?.();
    this.#options.closing.removeEventListener("abort", this.#giveUp);
  }

  readonly #giveUp = (): void => {
    this.#state = "given up";
    this.#stopTyping?.();
    this.#stopDraftTimer?.();
  };

  #set(scene: Scene | "nothing"): void {
    this.#scene = scene;
    const { view, buttons } = scene === "nothing" ? { view: undefined, buttons: undefined } : scene;
    const pieces = view === undefined ? [] : this.#render(view);
    this.#wanted = pieces.map((content, index) => ({
      content: this.#formatting === "full" ? content : { ...content, entities: [] },
      buttons: index === pieces.length - 1 ? buttons : undefined,
    }));
  }

  #begin(): void {
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
      // A scene can come after the last look at what there is to do.
      if (this.#next() !== undefined) this.#begin();
    });
  }

  async #run(): Promise<void> {
    while (this.#next() !== undefined) {
      await this.#options.pace().turn(this.#state === "closing" ? "urgent" : "usual");
      const step = this.#next();
      if (step !== undefined) await this.#take(step);
    }
  }

  #next(): Step | undefined {
    if (this.#state === "unreachable" || this.#state === "given up" || this.#scene === undefined) return undefined;
    const transport = this.#transport;
    if (transport.kind === "edits" || this.#state === "closing") return planNext(this.#shown, this.#wanted);
    const last = this.#wanted.at(-1)?.content;
    const step = planNext(this.#shown, this.#wanted.slice(0, -1));
    if (step !== undefined || last === undefined) return step;
    const isThere = this.#draft !== undefined && hasSameText(this.#draft, last);
    return isThere ? undefined : { type: "draft", draftId: transport.draftId, content: last };
  }

  async #take(step: Step): Promise<void> {
    const outcome = await this.#call(step);
    this.#options.onCall(step.type, outcome);
    switch (outcome.state) {
      case "done":
        await this.#apply(step, outcome.value);
        return;
      case "later":
        this.#options.pace().pause(outcome.milliseconds, outcome.isFlood);
        return;
      case "gone":
        if (step.type === "edit") this.#shown[step.index] = { ...this.#shown[step.index]!, isGone: true };
        else if (step.type === "remove") this.#shown.pop();
        return;
      case "unreachable":
      case "refused":
        this.#refuse(step, outcome);
    }
  }

  #call(step: Step): Promise<Outcome<unknown>> {
    const { messenger } = this.#options;
    switch (step.type) {
      case "send":
        return messenger.send(step.wanted, this.#shown.length === 0);
      case "edit":
        return messenger.edit(this.#shown[step.index]!.id, step.wanted);
      case "remove":
        return messenger.remove(this.#shown[step.index]!.id);
      default:
        return messenger.draft(step.draftId, step.content);
    }
  }

  async #apply(step: Step, value: unknown): Promise<void> {
    switch (step.type) {
      case "send":
        this.#shown.push({ ...step.wanted, id: Number(value), isGone: false });
        // A message of the bot's takes the draft away.
        this.#draft = undefined;
        await this.#options.onMessages(this.#shown.map(({ id }) => id));
        return;
      case "edit":
        this.#shown[step.index] = { ...this.#shown[step.index]!, ...step.wanted };
        return;
      case "remove":
        this.#shown.pop();
        return;
      case "draft":
        this.#draft = step.content;
        this.#keepDraft();
    }
  }

  /** A draft that nothing is added to would disappear. */
  #keepDraft(): void {
    this.#stopDraftTimer?.();
    this.#stopDraftTimer = this.#options.clock.after(DRAFT_LIFE_MILLISECONDS, () => {
      this.#draft = undefined;
      if (this.#state === "open") this.#begin();
    });
  }

  #refuse(step: Step, { state, description }: Refusal): void {
    // Not everybody has drafts, nor every chat; messages that are edited are everywhere.
    if (step.type === "draft") this.#transport = { kind: "edits" };
    else if (step.type === "remove" && state === "refused") this.#shown.pop();
    else if (state === "refused" && this.#formatting === "full") {
      this.#formatting = "none";
      if (this.#scene !== undefined) this.#set(this.#scene);
    } else {
      this.#state = "unreachable";
      this.#options.onUnreachable(description);
    }
  }
}

type Refusal = Extract<Outcome<unknown>, { readonly state: "unreachable" | "refused" }>;
