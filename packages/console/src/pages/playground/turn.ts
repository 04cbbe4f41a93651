import type { Answer } from "../../answer/fold.ts";
import type { StopMode } from "../../api/generations.ts";

/** What an answer is asked for with: words, or the results of the tool calls before it. */
export type Prompt =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "results"; readonly results: readonly ToolResult[] };

/** What a tool has given back. */
interface ToolResult {
  readonly callId: string;
  readonly content: string;
}

/** Where an answer stands between the page and the gateway. */
export type TurnState =
  | { readonly type: "asking" }
  | { readonly type: "following"; readonly id: string; readonly isConnected: boolean }
  | { readonly type: "ended"; readonly id: string }
  /** The id is null where the gateway has never told one. */
  | { readonly type: "failed"; readonly id: string | null; readonly message: string };

/** One question with its answer. */
export interface Turn {
  /** Tells it apart from the others on the page, also from the same question that is asked again. */
  readonly key: number;
  readonly prompt: Prompt;
  readonly answer: Answer;
  state: TurnState;
  /** What was ordered and is not carried out yet: the gateway may be away, or may not have told the id. */
  order: StopMode | "none";
}
