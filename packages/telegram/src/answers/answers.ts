import { followGeneration } from "fullstop/control";
import type { GenerationRecord, StopReason } from "fullstop/control";
import { nameOf, ownerOf } from "../place.ts";
import type { Place } from "../place.ts";
import { Answer } from "./answer.ts";
import type { AnswerParts, StopResult } from "./answer.ts";
import { decodeLabels } from "./labels.ts";
import type { AnswerLabels } from "./labels.ts";
import type { Question } from "./question.ts";

/** An answer that runs in this process or another one, or has ended. */
export interface FoundAnswer {
  readonly id: string;
  readonly place: Place;
  readonly isRunning: boolean;
}

/** An answer that some process writes. */
export interface LiveAnswer extends AnswerLabels {
  readonly id: string;
  /** The process that writes it. */
  readonly holder: string;
}

/** The answers of a bot: where they are begun, found and stopped, whichever process writes them. */
export class Answers {
  readonly #parts: AnswerParts;
  readonly #here = new Map<string, Answer>();

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** The answers that this process writes. */
  running(): readonly Answer[] {
    return [...this.#here.values()];
  }

  /** Begins an answer. It can be stopped at once, and is under way when this returns. */
  begin(place: Place, question: Question): Answer {
    const answer = new Answer(place, question, this.#parts);
    this.#here.set(answer.id, answer);
    void answer.ended.then(() => this.#here.delete(answer.id));
    return answer;
  }

  /** Whether this process writes an answer. */
  isHere(id: string): boolean {
    return this.#here.has(id);
  }

  async find(id: string): Promise<FoundAnswer | undefined> {
    const here = this.#here.get(id);
    if (here !== undefined) return { id, place: here.place, isRunning: true };
    const record = await this.#parts.store.find(id);
    const labels = record && decodeLabels(record);
    if (record === undefined || labels === undefined || !this.#isOurs(record, labels.place)) return undefined;
    return { id, place: labels.place, isRunning: record.signal === undefined };
  }

  /** The answers that other processes write in a place. */
  async elsewhere(place: Place): Promise<readonly LiveAnswer[]> {
    const { bot, replica } = this.#parts;
    const found = await this.#live(ownerOf(bot, place));
    // One of this process that it does not write any more has ended, and the store has only not been told yet.
    return found.filter((answer) => answer.place.topic === place.topic && answer.holder !== replica.name);
  }

  /** Those of them that were asked for before an update. A stop that comes late is not meant for what was asked since. */
  async elsewhereBefore(place: Place, updateId: number): Promise<readonly LiveAnswer[]> {
    return (await this.elsewhere(place)).filter((answer) => answer.updateId < updateId);
  }

  /** The answers that other processes write in a chat, wherever in it. */
  async elsewhereIn(chat: number): Promise<readonly LiveAnswer[]> {
    const found = await this.#live();
    return found.filter((answer) => answer.place.chat === chat && answer.holder !== this.#parts.replica.name);
  }

  /** The answer that a draft belongs to. Drafts are told apart within a chat, whatever the topic. */
  async findDraft(chat: number, draftId: number): Promise<FoundAnswer | undefined> {
    const here = this.running().find((answer) => answer.place.chat === chat && answer.draftId === draftId);
    if (here !== undefined) return { id: here.id, place: here.place, isRunning: true };
    // Drafts are in private chats only, which have the number of the person.
    const found = await this.#live(ownerOf(this.#parts.bot, { chat, user: chat }));
    const match = found.find((labels) => labels.draftId === draftId);
    return match && { id: match.id, place: match.place, isRunning: true };
  }

  /** The running answer that a message belongs to: it is one of the answer's, or the question. */
  async findMessage(chat: number, messageId: number): Promise<FoundAnswer | undefined> {
    const isMeant = ({ questionId, messageIds }: Pick<Answer, "questionId" | "messageIds">): boolean =>
      questionId === messageId || messageIds.includes(messageId);
    const here = this.running().find((answer) => answer.place.chat === chat && isMeant(answer));
    if (here !== undefined) return { id: here.id, place: here.place, isRunning: true };
    for (const { id, place } of await this.#live()) {
      if (place.chat !== chat) continue;
      const unfinished = await this.#parts.unfinished.read({ id, placeName: nameOf(place) });
      if (unfinished === undefined || unfinished === "damaged") continue;
      if (isMeant(unfinished)) return { id, place, isRunning: true };
    }
    return undefined;
  }

  /** Stops an answer, or has the process stop it that writes it. */
  async stop(id: string, reason: StopReason): Promise<StopResult> {
    const here = this.#here.get(id);
    if (here !== undefined) return here.stop(reason);
    const { store } = this.#parts;
    const orders = await store.orders(id);
    const left = await store.order(id, { mode: "stop", reason });
    if (left !== "left") return "ended";
    return orders.some(({ mode }) => mode === "stop") ? "already stopping" : "stopping";
  }

  /** Makes an answer leave its thinking. False where there is none to leave, as far as can be told from here. */
  async skipThinking(id: string): Promise<boolean> {
    const here = this.#here.get(id);
    if (here !== undefined) return here.skipThinking();
    return (await this.#parts.store.order(id, { mode: "skip-thinking", reason: "user" })) === "left";
  }

  /** Waits until an answer that another process writes has ended. */
  async untilEnded(id: string, signal: AbortSignal): Promise<void> {
    for await (const batch of followGeneration(this.#parts.store, id, { signal, clock: this.#parts.clock })) {
      if (batch.at(-1)?.type === "finish") return;
    }
  }

  async #live(owner?: string): Promise<readonly LiveAnswer[]> {
    const records = await this.#parts.store.live(owner);
    return records.flatMap((record) => {
      const labels = decodeLabels(record);
      return labels !== undefined && this.#isOurs(record, labels.place)
        ? [{ ...labels, id: record.id, holder: record.holder }]
        : [];
    });
  }

  /** Several bots can share a store. */
  #isOurs(record: GenerationRecord, place: Place): boolean {
    return record.owner === ownerOf(this.#parts.bot, place);
  }
}
