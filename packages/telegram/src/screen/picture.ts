import type { FormattedText } from "../text/formatted-text.ts";
import { hasSameText, planNext } from "./plan.ts";
import type { Operation, ShownMessage, WantedMessage } from "./plan.ts";
import { createSceneDrawer } from "./scene.ts";
import type { Scene } from "./scene.ts";

/** Where an answer that is being written is shown: in messages that are edited, or in Telegram's drafts. */
export type Transport = { readonly kind: "edits" } | { readonly kind: "drafts"; readonly draftId: number };

/** The one thing to do next: about a message, or about the draft. */
export type Step = Operation | { readonly type: "draft"; readonly draftId: number; readonly content: FormattedText };

/** What clients show as thinking. */
const EMPTY: FormattedText = { text: "", entities: [] };

/** What is to be seen of an answer, as far as is known, and what should be. It makes no calls itself. */
export class Picture {
  readonly #draw = createSceneDrawer();
  #transport: Transport;
  #formatting: "full" | "none" = "full";
  #scene: Scene | "nothing" | undefined;
  #isLast = false;
  /** The messages of the scene. Scenes come faster than messages go, so they are drawn when they are needed. */
  #drawn: readonly WantedMessage[] | undefined;
  #shown: readonly ShownMessage[];
  /** Whether the last message is to be removed, or is already: nobody has said. */
  #isBeingRemoved = false;
  #draft: { readonly content: FormattedText; readonly isFresh: boolean } | undefined;

  constructor(transport: Transport, messageIds: readonly number[]) {
    this.#transport = transport;
    // Nobody knows what is in them, but it is not nothing.
    this.#shown = messageIds.map((id) => ({ id, content: EMPTY, buttons: undefined, isGone: false }));
  }

  /** Whether there is nothing to be seen. */
  get isEmpty(): boolean {
    return this.#shown.length === 0 && this.#draft === undefined;
  }

  /** Whether it is shown in a draft while it is written. */
  get hasDrafts(): boolean {
    return this.#transport.kind === "drafts";
  }

  /** The messages in which it is shown. */
  get messageIds(): readonly number[] {
    return this.#shown.map(({ id }) => id);
  }

  /** Says what should be seen. What comes last is never in a draft, because drafts disappear. */
  want(scene: Scene | "nothing", position: "in between" | "last"): void {
    this.#scene = scene;
    this.#isLast = position === "last";
    this.#drawn = undefined;
  }

  /** The next thing to do; undefined if all is as it should be. Without a scene that is an empty draft, or nothing. */
  next(): Step | undefined {
    const transport = this.#transport;
    if (this.#isBeingRemoved) return { type: "remove", index: this.#shown.length - 1 };
    if (transport.kind === "edits" || this.#isLast) {
      return this.#scene === undefined ? undefined : planNext(this.#shown, this.#wanted());
    }
    const wanted = this.#wanted();
    const step = planNext(this.#shown, wanted.slice(0, -1));
    if (step !== undefined) return step;
    const content = wanted.at(-1)?.content ?? EMPTY;
    const isThere = this.#draft?.isFresh === true && hasSameText(this.#draft.content, content);
    return isThere ? undefined : { type: "draft", draftId: transport.draftId, content };
  }

  /** The id of the message that a step is about. */
  idOf({ index }: Extract<Step, { readonly index: number }>): number {
    return this.#shown[index]!.id;
  }

  /** Says that a message was sent. It takes the draft away. */
  sent(wanted: WantedMessage, id: number): void {
    this.#shown = [...this.#shown, { ...wanted, id, isGone: false }];
    this.#draft = undefined;
  }

  edited(index: number, wanted: WantedMessage): void {
    this.#shown = this.#shown.with(index, { ...this.#shown[index]!, ...wanted });
  }

  /** Says that the last message is not there any more, because the bot has removed it or never could. */
  removed(): void {
    this.#isBeingRemoved = false;
    this.#shown = this.#shown.slice(0, -1);
  }

  /**
   * Says that nobody knows what came of a call. Telegram may have carried it out, so that what was there before it is not
   * known to be there, even if it should be again by now.
   */
  doubted(step: Step): void {
    if (step.type === "remove") this.#isBeingRemoved = true;
    else if (step.type === "edit") {
      this.#shown = this.#shown.with(step.index, { ...this.#shown[step.index]!, content: EMPTY });
    }
  }

  /** Says that somebody else has deleted a message. True if it is the one that is being written. */
  missed(index: number): boolean {
    this.#shown = this.#shown.with(index, { ...this.#shown[index]!, isGone: true });
    return !this.#isLast && index === this.#shown.length - 1;
  }

  drafted(content: FormattedText): void {
    this.#draft = { content, isFresh: true };
  }

  /** Says that the draft will disappear if it is not sent again. */
  faded(): void {
    if (this.#draft !== undefined) this.#draft = { ...this.#draft, isFresh: false };
  }

  /** Goes on without drafts. Not everybody has them, nor every chat; messages that are edited are everywhere. */
  leaveDrafts(): void {
    this.#transport = { kind: "edits" };
    this.#draft = undefined;
    this.#drawn = undefined;
  }

  /** Goes on without formatting. False if there is none any more. */
  leaveFormatting(): boolean {
    if (this.#formatting === "none") return false;
    this.#formatting = "none";
    this.#drawn = undefined;
    return true;
  }

  #wanted(): readonly WantedMessage[] {
    if (this.#scene === undefined || this.#scene === "nothing") return [];
    const hasPlaceholder = this.#transport.kind === "edits" || this.#isLast;
    this.#drawn ??= this.#draw(this.#scene, { formatting: this.#formatting, hasPlaceholder });
    return this.#drawn;
  }
}
