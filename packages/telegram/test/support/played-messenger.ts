import type { AnswerScreenOptions } from "../../src/screen/answer-screen.ts";
import type { Outcome } from "../../src/screen/outcome.ts";
import type { WantedMessage } from "../../src/screen/plan.ts";
import type { FormattedText } from "../../src/text/formatted-text.ts";

/** What happens to one call. Without one it is carried out. */
export type Luck = Exclude<Outcome<never>, { readonly state: "done" }> | "done" | "carried out, but nobody is told";

/** A call as it was made: `send`, `edit`, `remove`, `draft` or `type`, and when. */
interface PlayedCall {
  readonly method: string;
  readonly at: number;
  readonly text: string;
}

/** A chat that takes calls and keeps what they leave. */
export interface PlayedMessenger {
  readonly messenger: AnswerScreenOptions["messenger"];
  readonly calls: readonly PlayedCall[];
  /** What is to be seen, by id. */
  readonly messages: ReadonlyMap<number, WantedMessage>;
  readonly draft: FormattedText | undefined;
}

/** Plays a chat in which each call has the luck that is given for it, one after the other. */
export function playMessenger(now: () => number, luck: Iterator<Luck> = [].values()): PlayedMessenger {
  const calls: PlayedCall[] = [];
  const messages = new Map<number, WantedMessage>();
  let draft: FormattedText | undefined;
  let nextId = 1;

  async function call<T>(method: string, text: string, carryOut: () => T): Promise<Outcome<T>> {
    calls.push({ method, at: now(), text });
    const next = luck.next();
    const what = next.done === true ? "done" : next.value;
    if (typeof what === "object") return what;
    const value = carryOut();
    return what === "done" ? { state: "done", value } : { state: "later", milliseconds: 1_000, cause: "failure" };
  }

  return {
    calls,
    messages,
    get draft() {
      return draft;
    },
    messenger: {
      send: (wanted) =>
        call("send", wanted.content.text, () => {
          messages.set(nextId, wanted);
          draft = undefined;
          return nextId++;
        }),
      edit: (id, wanted) => call("edit", wanted.content.text, () => void messages.set(id, wanted)),
      remove: (id) => call("remove", "", () => messages.delete(id)),
      draft: (_draftId, content) => call("draft", content.text, () => void (draft = content)),
      type: () => call("type", "", () => true),
    },
  };
}
