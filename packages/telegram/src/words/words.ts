/** Why an answer is not whole, as far as its readers need to know. */
export type EndingKind =
  | "interrupted"
  | "length"
  | "filtered"
  | "loop"
  | "cut"
  | "unknown"
  | "context"
  | "time"
  | "budget"
  | "tools"
  | "error";

/** Everything the bot says by itself. */
export interface Words {
  /** The answers to `/stop`. */
  readonly stopped: string;
  readonly nothingToStop: string;
  /** What stands at the end of an answer that is not whole. */
  readonly endings: Readonly<Record<EndingKind, string>>;
  /** What stands where an answer will be, until something of it is there. */
  readonly placeholder: string;
  /** What stands above the links to where an answer comes from. */
  readonly sources: string;
  /** What is shown while a tool runs. */
  readonly tool: (name: string) => string;
  readonly buttons: Readonly<Record<"stop" | "skipThinking" | "continue" | "regenerate", string>>;
  /** The short notices after a button was pressed. */
  readonly toasts: Readonly<
    Record<
      | "stopping"
      | "alreadyStopping"
      | "alreadyFinished"
      | "notYours"
      | "skipping"
      | "nothingToSkip"
      | "answering"
      | "notTheLast"
      | "notAllowed"
      | "tooMany"
      | "unreachable",
      string
    >
  >;
  readonly welcome: string;
  readonly newConversation: string;
  readonly notAllowed: string;
  readonly onlyText: string;
  readonly tooMany: string;
  readonly busy: string;
  /** What stands beside the commands in Telegram's menu. */
  readonly commands: Readonly<Record<"stop" | "new" | "help", string>>;
}
