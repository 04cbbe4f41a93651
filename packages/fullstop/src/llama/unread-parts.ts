import type { RequestWarning } from "../engine.ts";
import { warningsOfNative } from "../native-fields.ts";
import { warningsOfText } from "../text-tools.ts";
import type { LlamaRequest } from "./request.ts";

/**
 * Warnings of everything in a request that a local model is not told: what only one dialect has, grammars of tools, and
 * what a provider has done in an earlier turn. What a user or a tool shows is refused instead, because the question
 * would be another.
 */
export function warningsOfUnread(request: LlamaRequest): readonly RequestWarning[] {
  const parts = request.messages.flatMap((message, index) =>
    message.content.flatMap((part, place): readonly RequestWarning[] => {
      if (message.role !== "assistant" || part.type !== "opaque") return [];
      const field = `messages[${index}].content[${place}]`;
      return [{ field, message: `Only the dialect ${part.format} understands this part; it was left out.` }];
    }),
  );
  return [...warningsOfNative(request), ...warningsOfText(request), ...parts];
}
