import type { CommandDescription, OptionTable } from "../command-line/description.ts";
import { MODEL_OPTIONS, USUAL_MODEL } from "../command-line/model-options.ts";
import { parseParameters, readCount } from "../command-line/parse.ts";

/** What `fullstop chat` was told. */
export interface ChatOptions {
  /** What answers: a model, or a gateway that has it. */
  readonly model: string | undefined;
  readonly gateway: string | undefined;
  readonly config: string | undefined;
  readonly system: string | undefined;
  readonly thinking: boolean;
  readonly maxTokens: number | undefined;
  /** Whether to write for programs instead of people. */
  readonly json: boolean;
}

const OPTIONS = {
  ...MODEL_OPTIONS,
  system: { type: "value", value: "TEXT", help: "what the model is told before the conversation" },
  "no-thinking": { type: "flag", help: "asks for answers without thinking" },
  "max-tokens": { type: "value", value: "N", help: "the most tokens of an answer, thinking included; it ends there" },
  json: {
    type: "flag",
    help: "one line of JSON for each answer: prompt, text, reasoning, sources, end, signal, usage",
  },
} as const satisfies OptionTable;

/** All about `fullstop chat`. */
export const CHAT: CommandDescription = {
  name: "chat",
  introduction:
    "Talks with a model in the terminal. Escape or Ctrl-C stops an answer and keeps it: the model will know that it was " +
    "interrupted. s skips thinking, which is shown dimmed. Ctrl-C while nothing is answered, Ctrl-D or /exit leaves; " +
    "/new begins a new conversation.",
  options: OPTIONS,
  notes:
    "Where standard input is no terminal, each line of it is a prompt, and only the answers are written, with their " +
    "sources. Colours are left out where NO_COLOR is set. Characters that would do something to the terminal are shown as escapes.",
  examples: [
    "fullstop chat",
    "fullstop chat --model anthropic/claude-sonnet-4-5 --system 'Answer in one sentence.'",
    "echo 'What number comes before 395?' | fullstop chat --json | jq -r .text",
  ],
  exitCodes: [
    [0, "the conversation is over"],
    [1, "an answer has failed (only where standard input is no terminal)"],
    [2, "a wrong call, or a model that cannot be opened"],
    [12, "an answer was cut at its limit of tokens (only where standard input is no terminal)"],
    [130, "interrupted twice (only where standard input is no terminal)"],
  ],
};

/** Reads the parameters of `fullstop chat`. */
export function readChatOptions(parameters: readonly string[]): ChatOptions | "help" {
  const parsed = parseParameters(CHAT, OPTIONS, parameters);
  if (parsed === "help") return "help";
  const { model, gateway, config, system, json, "no-thinking": noThinking, "max-tokens": maxTokens } = parsed.values;
  return {
    model: model ?? (gateway === undefined ? undefined : USUAL_MODEL),
    gateway,
    config,
    system,
    json,
    thinking: !noThinking,
    maxTokens: readCount("--max-tokens", maxTokens, 1),
  };
}
