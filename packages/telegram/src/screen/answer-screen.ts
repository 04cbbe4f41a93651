import type { Clock } from "fullstop";
import type { ChatPace, Turn } from "./chat-pace.ts";
import type { Messenger } from "./messenger.ts";
import type { Outcome } from "./outcome.ts";
import { Picture } from "./picture.ts";
import type { Step, Transport } from "./picture.ts";
import type { Scene } from "./scene.ts";

/** Telegram shows a draft for some seconds only, so that one that has not changed is sent again. */
const DRAFT_LIFE_MILLISECONDS = 5_000;

/** Telegram shows that somebody types for five seconds. */
const TYPING_MILLISECONDS = 4_500;

/** After each failure in a row the next try is twice as far away, up to this. */
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/** After so many failures in a row, which is about an hour, Telegram is taken to be gone. */
const MOST_FAILURES = 120;

/** What a screen needs to know. */
export interface AnswerScreenOptions {
  readonly messenger: Pick<Messenger, "send" | "edit" | "remove" | "draft" | "type">;
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
  readonly onCall: (method: Step["type"], outcome: Outcome<unknown>) => void;
}

/**
 * Shows one answer in Telegram. The newest scene wins: whatever was to be seen in between and did not come to its turn
 * is never sent. The last one is always sent, however long Telegram makes it wait.
 */
export class AnswerScreen {
  readonly #options: AnswerScreenOptions;
  readonly #picture: Picture;
  #state: "open" | "closing" | "unreachable" | "given up" = "open";
  #failuresInRow = 0;
  #turn: Turn | undefined;
  #stopDraftTimer: (() => void) | undefined;
  #stopTyping: (() => void) | undefined;
  #work: Promise<void> | undefined;

  constructor(options: AnswerScreenOptions) {
    this.#options = options;
    this.#picture = new Picture(options.transport, options.messageIds ?? []);
    options.closing.addEventListener("abort", this.#giveUp);
  }

  /** Whether it was closed before the last scene could be shown. */
  get isGivenUp(): boolean {
    return this.#state === "given up";
  }

  /** Whether anything is to be seen of the answer. */
  get isEmpty(): boolean {
    return this.#picture.isEmpty;
  }

  /** Shows that something is going to come, until it does. */
  announce(): void {
    if (this.#state !== "open" || !this.isEmpty) return;
    if (this.#picture.hasDrafts) {
      this.#begin();
      return;
    }
    this.#type().catch((error: unknown) => this.#lose(String(error)));
    this.#stopTyping?.();
    this.#stopTyping = this.#options.clock.after(TYPING_MILLISECONDS, () => this.announce());
  }

  /** Shows a scene, when it is its turn and no newer one has come. */
  show(scene: Scene): void {
    if (this.#state !== "open") return;
    this.#picture.want(scene, "in between");
    this.#begin();
  }

  /** Shows the last scene. Fulfilled when it is seen, or cannot be. */
  async close(scene: Scene): Promise<void> {
    await this.#end(scene);
  }

  /** Takes away whatever is to be seen, also what is just being sent. Fulfilled when it is gone. */
  async clear(): Promise<void> {
    await this.#end("nothing");
  }

  async #end(scene: Scene | "nothing"): Promise<void> {
    if (this.#state === "open") {
      this.#state = "closing";
      this.#picture.want(scene, "last");
      this.#turn?.hurry();
      this.#begin();
    }
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

  #begin(): void {
    this.#work ??= this.#run()
      // Nobody waits for what is shown in between, so a mistake of the bot's own would end the process.
      .catch((error: unknown) => this.#lose(String(error)))
      .finally(() => {
        this.#work = undefined;
        // A scene can come after the last look at what there is to do.
        if (this.#next() !== undefined) this.#begin();
      });
  }

  async #run(): Promise<void> {
    for (let step = this.#next(); step !== undefined; step = this.#next()) {
      this.#turn = this.#options.pace().turn(this.#isUrgent(step) ? "urgent" : "usual");
      await this.#turn.granted;
      this.#turn = undefined;
      try {
        const due = this.#next();
        if (due !== undefined) await this.#take(due);
      } finally {
        this.#options.pace().called();
      }
    }
  }

  #next(): Step | undefined {
    const isOver = this.#state === "unreachable" || this.#state === "given up";
    return isOver ? undefined : this.#picture.next();
  }

  /** What comes last, what comes first, and what goes on in another message: until it is there, no stop button is. */
  #isUrgent({ type }: Step): boolean {
    return this.#state === "closing" || this.isEmpty || type === "send";
  }

  /** Says that something is being written. It is a courtesy, and no reason to call where nobody may. */
  async #type(): Promise<void> {
    if (this.#options.pace().isPaused) return;
    const outcome = await this.#options.messenger.type();
    if (outcome.state === "unreachable") this.#lose(outcome.description);
    else if (outcome.state === "later" && outcome.cause === "flood")
      this.#options.pace().pause(outcome.milliseconds, "flood");
  }

  async #take(step: Step): Promise<void> {
    const outcome = await this.#call(step);
    this.#options.onCall(step.type, outcome);
    if (outcome.state === "later") {
      if (outcome.cause === "failure") this.#picture.doubted(step);
      this.#wait(outcome);
      return;
    }
    this.#failuresInRow = 0;
    if (outcome.state === "gone") this.#miss(step);
    else if (outcome.state === "unreachable") this.#lose(outcome.description);
    else if (outcome.state === "refused") this.#refuse(step, outcome.description);
  }

  async #call(step: Step): Promise<Outcome<unknown>> {
    const { messenger } = this.#options;
    const picture = this.#picture;
    switch (step.type) {
      case "send": {
        const outcome = await messenger.send(step.wanted, picture.messageIds.length === 0 ? "first" : "further");
        if (outcome.state !== "done") return outcome;
        picture.sent(step.wanted, outcome.value);
        await this.#options.onMessages(picture.messageIds);
        return outcome;
      }
      case "edit": {
        const outcome = await messenger.edit(picture.idOf(step), step.wanted);
        if (outcome.state === "done") picture.edited(step.index, step.wanted);
        return outcome;
      }
      case "remove": {
        const outcome = await messenger.remove(picture.idOf(step));
        if (outcome.state === "done") picture.removed();
        return outcome;
      }
      default: {
        const outcome = await messenger.draft(step.draftId, step.content);
        if (outcome.state === "done") this.#keepDraft(step.content);
        return outcome;
      }
    }
  }

  /** A draft that nothing is added to would disappear. */
  #keepDraft(content: Extract<Step, { readonly type: "draft" }>["content"]): void {
    this.#picture.drafted(content);
    this.#stopDraftTimer?.();
    this.#stopDraftTimer = this.#options.clock.after(DRAFT_LIFE_MILLISECONDS, () => {
      this.#picture.faded();
      this.#begin();
    });
  }

  #wait({ milliseconds, cause }: Extract<Outcome<unknown>, { readonly state: "later" }>): void {
    if (cause === "flood") {
      this.#options.pace().pause(milliseconds, "flood");
      return;
    }
    this.#failuresInRow += 1;
    if (this.#failuresInRow > MOST_FAILURES) this.#lose("Telegram cannot be reached");
    const pause = Math.min(LONGEST_PAUSE_MILLISECONDS, milliseconds * 2 ** (this.#failuresInRow - 1));
    this.#options.pace().pause(pause, "failure");
  }

  /** Somebody has deleted a message. If it is the one that is being written, they do not want the rest either. */
  #miss(step: Step): void {
    if (step.type === "remove") this.#picture.removed();
    else if (step.type !== "edit") {
      // It is not what was to be sent that is missing, and the same call would be answered the same for ever.
      this.#refuse(step, "Telegram knows no such message");
    } else if (this.#picture.missed(step.index)) this.#lose("the message was deleted");
  }

  #refuse(step: Step, description: string): void {
    if (step.type === "draft") {
      this.#picture.leaveDrafts();
      this.announce();
    } else if (step.type === "remove") this.#picture.removed();
    else if (!this.#picture.leaveFormatting()) this.#lose(description);
  }

  #lose(description: string): void {
    if (this.#state === "unreachable" || this.#state === "given up") return;
    this.#state = "unreachable";
    this.#stopTyping?.();
    this.#options.onUnreachable(description);
  }
}
