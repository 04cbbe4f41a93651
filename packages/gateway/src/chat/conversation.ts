import { defineGuard } from "fullstop";
import type { Engine, GenerationRequest, Message } from "fullstop";
import { createAgentRun } from "fullstop/agent";
import type { AgentResult, AgentRun } from "fullstop/agent";
import { POLICIES, definePolicy } from "fullstop/decide";

/** Who answers, and what is asked of it every time. */
export interface ConversationSettings {
  readonly engine: Engine;
  readonly request: Omit<GenerationRequest, "messages">;
  readonly system: string | undefined;
  /** How much of the conversation is sent, in characters; the newest question is, however long. */
  readonly maxCharacters: number;
}

/** What may be done about an answer that is limited: it is not made longer. */
const WITHIN_LIMIT = definePolicy({ preset: "chat", bounds: { continue: 0, increase_budget: 0 } });

/** What was said so far. */
export class Conversation {
  readonly #settings: ConversationSettings;
  #messages: readonly Message[] = [];

  constructor(settings: ConversationSettings) {
    this.#settings = settings;
  }

  /** Asks a question. Nothing is sent before the events of the run are read. */
  ask(prompt: string): AgentRun {
    const { engine, request, system, maxCharacters } = this.#settings;
    const question: Message = { role: "user", content: [{ type: "text", text: prompt }] };
    const before: readonly Message[] =
      system === undefined ? [] : [{ role: "system", content: [{ type: "text", text: system }] }];
    this.#messages = shorten([...this.#messages, question], maxCharacters);
    return createAgentRun({
      engine,
      request: { ...request, messages: [...before, ...this.#messages] },
      // A limit that somebody has set is no accident, to be made up for by asking on.
      policy: request.maxOutputTokens === undefined ? POLICIES.chat : WITHIN_LIMIT,
      // Loops are what small models end in, and nobody wants to read them.
      stage: defineGuard({ repetition: true }),
    });
  }

  /**
   * Keeps what has come of the last question, also of an answer that was interrupted, with the note that says so. A
   * question without any answer is forgotten, so that the next one does not come second.
   */
  keep({ messages, text }: AgentResult): void {
    const said = messages.filter(({ role }) => role !== "system");
    this.#messages = text === "" ? this.#messages.slice(0, -1) : said;
  }

  /** Begins anew. */
  forget(): void {
    this.#messages = [];
  }
}

/** The last messages, from a question on, that fit. */
function shorten(messages: readonly Message[], maxCharacters: number): readonly Message[] {
  let characters = 0;
  let first = messages.length - 1;
  for (; first > 0; first--) {
    characters += JSON.stringify(messages[first]).length;
    if (characters + JSON.stringify(messages[first - 1]).length > maxCharacters) break;
  }
  while (first < messages.length - 1 && messages[first]?.role !== "user") first += 1;
  return messages.slice(first);
}
