import type { GenerationEvent, Message } from "fullstop";
import { AGENT_WORDING } from "fullstop/agent";
import type { GenerationStore } from "fullstop/control";
import type { Place } from "../place.ts";
import type { AnswerScreen } from "../screen/answer-screen.ts";
import type { FindWords } from "../words/languages.ts";
import { finishedButtons } from "./buttons.ts";
import type { Conversations } from "./conversation.ts";
import type { UnfinishedAnswer, UnfinishedAnswers } from "./unfinished.ts";

/** An answer may be on the list for so long before the store has heard of it. */
const PATIENCE_MILLISECONDS = 60_000;

/** What is needed to finish what others have left. */
export interface RecoveryParts {
  readonly store: GenerationStore;
  readonly unfinished: UnfinishedAnswers;
  readonly conversations: Conversations;
  readonly findWords: FindWords;
  /** Opens what an answer was shown on. */
  readonly reopenScreen: (place: Place, messageIds: readonly number[]) => AnswerScreen;
  readonly now: () => number;
}

/**
 * Finishes the answers whose process has died: marks their messages as interrupted, with all that was recorded of them,
 * and puts that into the conversation. Gives how many there were.
 */
export async function recoverAnswers(parts: RecoveryParts): Promise<number> {
  const ids = await parts.unfinished.ids();
  const outcomes = await Promise.all(ids.map((id) => recoverAnswer(id, parts)));
  return outcomes.filter(Boolean).length;
}

async function recoverAnswer(id: string, parts: RecoveryParts): Promise<boolean> {
  if (!(await isAbandoned(id, parts))) return false;
  const answer = await parts.unfinished.claim(id);
  if (answer === undefined) return false;
  const events = await readAll(parts.store, id);
  const text = join(events, "text");
  await remember(answer, text, parts);
  const words = parts.findWords(answer.languageCode);
  const screen = parts.reopenScreen(answer.place, answer.messageIds);
  await screen.close({
    view: {
      thinking: join(events, "reasoning"),
      text,
      notes: [],
      mark: words.endings.interrupted,
      isRunning: false,
      placeholder: words.placeholder,
    },
    buttons: finishedButtons(id, { ending: "interrupted", hasText: text !== "" }, words),
  });
  return true;
}

/** Whether nobody is going to finish an answer: its record has ended, or was never begun. */
async function isAbandoned(id: string, { store, unfinished, now }: RecoveryParts): Promise<boolean> {
  const record = await store.find(id);
  if (record !== undefined) return record.signal !== undefined;
  const answer = await unfinished.read(id);
  return answer !== undefined && now() - answer.startedAt > PATIENCE_MILLISECONDS;
}

async function remember({ id, place, asked }: UnfinishedAnswer, text: string, parts: RecoveryParts): Promise<void> {
  const partial: Message = { role: "assistant", content: [{ type: "text", text }], isPartial: true };
  const note: Message = {
    role: "user",
    content: [{ type: "text", text: AGENT_WORDING.interruption("owner_lost") }],
  };
  await parts.conversations.change(place, (conversation) => {
    // It had come so far that only the last message was missing.
    if (conversation.lastAnswer?.id === id) return conversation;
    const { messages } = conversation;
    const said = text === "" ? [] : [partial, note];
    return { messages: [...messages, ...asked, ...said], lastAnswer: { id, from: messages.length + asked.length } };
  });
}

async function readAll(store: GenerationStore, id: string): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for (;;) {
    const batch = await store.read(id, events.length);
    if (batch.length === 0) return events;
    events.push(...batch);
  }
}

function join(events: readonly GenerationEvent[], type: "text" | "reasoning"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}
