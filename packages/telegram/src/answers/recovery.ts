import type { Clock, GenerationEvent, Message, TerminationSignal } from "fullstop";
import { AGENT_WORDING } from "fullstop/agent";
import type { GenerationStore } from "fullstop/control";
import type { BotLog } from "../operations/log.ts";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { AnswerScreen } from "../screen/answer-screen.ts";
import type { FindWords } from "../words/languages.ts";
import type { EndingKind } from "../words/words.ts";
import { isUnseen } from "../text/clean-text.ts";
import { finishedButtons } from "./buttons.ts";
import { hasAnswer } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import type { Conversations } from "./conversations.ts";
import { recordedEnding } from "./ending.ts";
import { recordedAnswer } from "./seen-text.ts";
import type { SeenAnswer } from "./seen-text.ts";
import { questionIdsOf } from "./unfinished.ts";
import type { UnfinishedAnswer, UnfinishedAnswers, UnfinishedEntry } from "./unfinished.ts";

/** An answer may be on the list for so long before the store has heard of it. */
const PATIENCE_MILLISECONDS = 60_000;

/** What is needed to finish what others have left. */
export interface RecoveryParts {
  readonly store: GenerationStore;
  readonly unfinished: UnfinishedAnswers;
  readonly conversations: Conversations;
  readonly findWords: FindWords;
  /** Opens what an answer was shown on. */
  readonly reopenScreen: (answer: UnfinishedAnswer) => AnswerScreen;
  /** Whether this process writes an answer or has shown all of it, so that it finishes it itself. */
  readonly isHere: (id: string) => boolean;
  /** Takes the questions that were being answered off the list of those that wait, should they still be there. */
  readonly forgetQuestions: (place: Place, messageIds: readonly number[]) => Promise<void>;
  readonly log: BotLog;
  readonly clock: Clock;
}

/**
 * Finishes the answers whose process has died: puts what was recorded of them into the conversation, and shows all of
 * it, marked as interrupted unless the record says that it has ended otherwise.
 */
export class Recovery {
  readonly #parts: RecoveryParts;
  /** Those that are being put into their conversations, by id. */
  readonly #keeping = new Map<string, Promise<Finder>>();
  /** Those that are in their conversations and are being shown, by id. */
  readonly #showing = new Map<string, Promise<void>>();

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Looks for answers that were left. Fulfilled when they are in their conversations; to be seen, they take their time. */
  async round(): Promise<void> {
    const entries = await this.#parts.unfinished.list();
    await Promise.all(entries.map((entry) => this.#keepOnce(entry)));
  }

  /**
   * Puts what was left in a place into its conversation, so that the next answer there knows of it. False if another
   * process is doing that with some of it, and is not done yet.
   */
  async settle(place: Place): Promise<boolean> {
    const entries = await this.#parts.unfinished.list();
    const here = entries.filter(({ placeName }) => placeName === nameOf(place));
    for (const entry of here) {
      if ((await this.#keepOnce(entry)) === "another" && !(await this.#isKept(entry, place))) return false;
    }
    return true;
  }

  /** Fulfilled when everything is to be seen that was found. */
  async done(): Promise<void> {
    await Promise.all(this.#showing.values());
  }

  #keepOnce(entry: UnfinishedEntry): Promise<Finder> {
    const running = this.#keeping.get(entry.id);
    if (running !== undefined) return running;
    if (this.#showing.has(entry.id)) return Promise.resolve("this one");
    const keeping = this.#recover(entry).finally(() => this.#keeping.delete(entry.id));
    this.#keeping.set(entry.id, keeping);
    return keeping;
  }

  async #recover(entry: UnfinishedEntry): Promise<Finder> {
    const { unfinished, store, log } = this.#parts;
    if (!(await this.#isAbandoned(entry))) return "nobody";
    if (!(await unfinished.claim(entry))) return "another";
    const answer = await unfinished.read(entry);
    if (answer === undefined) return "nobody";
    if (answer === "damaged") {
      log.warn({ generation: entry.id }, "an answer that was left cannot be read, and is forgotten");
      await unfinished.remove(entry);
      return "this one";
    }
    // Its process may have died before it could. While the answer is on the list, nobody else begins another one.
    await this.#parts.forgetQuestions(answer.place, questionIdsOf(answer));
    const events = await readAll(store, entry.id);
    const seen = recordedAnswer(events, answer.seams);
    const ending = await this.#keep(answer, seen.text, (await store.find(entry.id))?.signal);
    const showing = this.#show(answer, seen, ending)
      .then(async (isShown) => (isShown ? unfinished.remove(entry) : undefined))
      .catch((error: unknown) =>
        log.warn({ generation: entry.id, err: error }, "an answer that was left cannot be shown"),
      )
      .finally(() => this.#showing.delete(entry.id));
    this.#showing.set(entry.id, showing);
    return "this one";
  }

  /** Whether an answer that was left is in its conversation, as far as it will ever be. */
  async #isKept(entry: UnfinishedEntry, place: Place): Promise<boolean> {
    const { unfinished, conversations } = this.#parts;
    const answer = await unfinished.read(entry);
    if (answer === undefined || answer === "damaged" || answer.isKept) return true;
    return hasAnswer(await conversations.read(place), entry.id);
  }

  /** Whether nobody is going to finish an answer: its record has ended, or was never begun. */
  async #isAbandoned(entry: UnfinishedEntry): Promise<boolean> {
    const { store, unfinished, isHere, clock } = this.#parts;
    if (isHere(entry.id)) return false;
    const record = await store.find(entry.id);
    if (record !== undefined) return record.signal !== undefined;
    const answer = await unfinished.read(entry);
    return answer === "damaged" || (answer !== undefined && clock.now() - answer.startedAt > PATIENCE_MILLISECONDS);
  }

  /** Puts an answer into its conversation, and says how it has ended: it may be whole but for its last message. */
  async #keep(answer: UnfinishedAnswer, text: string, signal: TerminationSignal | undefined): Promise<Ending> {
    const { conversations, unfinished } = this.#parts;
    const { id, place, questionId, asked, replaces } = answer;
    const before = await conversations.read(place);
    const ending = isWhole(before, id) ? undefined : recordedEnding(signal, text);
    if (answer.isKept || hasAnswer(before, id)) return ending;
    const said = isUnseen(text) ? [] : saidOf(text, ending, signal);
    await conversations.recover(place, { id, questionId, replaces, asked, said, isRecovered: true });
    // Should it have to be done again because this process dies, too.
    await unfinished.put({ ...answer, isKept: true }, "any");
    return ending;
  }

  /** Shows an answer as it is to stay. False if that was given up, so that somebody has to do it later. */
  async #show(answer: UnfinishedAnswer, { text, thinking, sources }: SeenAnswer, ending: Ending): Promise<boolean> {
    const words = this.#parts.findWords(answer.languageCode);
    const screen = this.#parts.reopenScreen(answer);
    await screen.close({
      view: {
        thinking,
        text,
        notes: [],
        mark: ending && words.endings[ending],
        sources: { heading: words.sources, sources },
        isRunning: false,
        placeholder: words.placeholder,
      },
      buttons: finishedButtons(answer.id, { ending, hasText: !isUnseen(text) }, words),
    });
    return !screen.isGivenUp;
  }
}

/** Which process finishes an answer: none if it is not abandoned. */
type Finder = "this one" | "another" | "nobody";

/** `undefined` for an answer that is whole. */
type Ending = EndingKind | undefined;

/** What the next answer is to know of one: also that it was interrupted, unless it ended in another way. */
function saidOf(text: string, ending: Ending, signal: TerminationSignal | undefined): readonly Message[] {
  const content = [{ type: "text", text }] as const;
  if (ending === undefined) return [{ role: "assistant", content }];
  const partial: Message = { role: "assistant", content, isPartial: true };
  if (ending !== "interrupted") return [partial];
  const stoppedBy = signal?.reason === "cancelled" ? signal.detail : undefined;
  const interruption = AGENT_WORDING.interruption(stoppedBy ?? "owner_lost");
  return [partial, { role: "user", content: [{ type: "text", text: interruption }] }];
}

function isWhole({ exchanges }: Conversation, id: string): boolean {
  const last = exchanges.find((exchange) => exchange.id === id)?.said.at(-1);
  return last?.role === "assistant" && last.isPartial !== true;
}

async function readAll(store: GenerationStore, id: string): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for (;;) {
    const batch = await store.read(id, events.length);
    if (batch.length === 0) return events;
    // One by one: a list of a hundred thousand is more than a call takes as arguments.
    for (const event of batch) events.push(event);
  }
}
