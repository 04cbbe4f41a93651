import type { UserMessage } from "fullstop";
import type { Words } from "../words/words.ts";

/** What somebody wants an answer to. */
export interface Question {
  readonly task:
    | { readonly type: "message"; readonly message: UserMessage }
    /** The rest of this answer, or another one in its place: if it is still the last one by then. */
    | { readonly type: "continue"; readonly of: string }
    | { readonly type: "regenerate"; readonly of: string };
  /** The message that asks, or that has the button that was pressed. Later ones have higher numbers. */
  readonly messageId: number;
  /** The messages before it that were put together with it. */
  readonly mergedIds?: readonly number[] | undefined;
  /** The update by which it came. Whatever somebody does later has a higher number. */
  readonly updateId: number;
  /** The language of whoever asks, and the words in which the bot speaks to them. */
  readonly languageCode: string | undefined;
  readonly words: Words;
}

/** Several questions that came in one go, as one: what was written is put together, and the last one counts. */
export function mergeQuestions(first: Question, second: Question): Question {
  if (first.task.type !== "message" || second.task.type !== "message") return second;
  const content = [...first.task.message.content, ...second.task.message.content];
  const mergedIds = [...(first.mergedIds ?? []), first.messageId, ...(second.mergedIds ?? [])];
  const updateId = Math.max(first.updateId, second.updateId);
  return {
    ...second,
    updateId,
    mergedIds,
    task: { type: "message", message: { role: "user", content: joinTexts(content) } },
  };
}

/** Texts that follow each other are one text, because that is how they are read. */
function joinTexts(content: UserMessage["content"]): UserMessage["content"] {
  const joined: UserMessage["content"][number][] = [];
  for (const part of content) {
    const last = joined.at(-1);
    if (last?.type === "text" && part.type === "text") {
      joined[joined.length - 1] = { type: "text", text: `${last.text}\n${part.text}` };
    } else {
      joined.push(part);
    }
  }
  return joined;
}
