import type { Answer } from "../../answer/fold.ts";

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
type TurnState =
  | { readonly type: "asking" }
  | { readonly type: "following"; readonly id: string; readonly isConnected: boolean }
  | { readonly type: "ended"; readonly id: string }
  | { readonly type: "failed"; readonly message: string };

/** One question with its answer. */
export interface Turn {
  readonly prompt: Prompt;
  readonly answer: Answer;
  state: TurnState;
}
