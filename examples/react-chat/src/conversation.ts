import type { UIMessage } from "ai";

/** A message of the chat. An answer says why it ended, once it has. */
export type ChatMessage = UIMessage<{ readonly reason?: string }>;

/** The texts of a message, put together. */
export function textOf({ parts }: ChatMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
