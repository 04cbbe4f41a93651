import type {
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { parseJson } from "../../wire/json.ts";

type AssistantPart = Extract<LanguageModelV4Message, { readonly role: "assistant" }>["content"][number];

/** A prompt with what a paused turn has said so far at its end, and no new message: so a provider goes on with it. */
export function resumedPrompt(
  prompt: LanguageModelV4Prompt,
  content: readonly LanguageModelV4Content[],
): LanguageModelV4Prompt {
  return [...prompt, { role: "assistant", content: content.flatMap(toPromptPart) }];
}

/** What a provider told beside a part is what it wants to have back with it. */
function withOptions(metadata: SharedV4ProviderMetadata | undefined): {
  readonly providerOptions?: SharedV4ProviderOptions;
} {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

function toPromptPart(part: LanguageModelV4Content): readonly AssistantPart[] {
  const options = withOptions(part.providerMetadata);
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ type: part.type, text: part.text, ...options }];
    case "tool-call": {
      const { toolCallId, toolName, input, providerExecuted } = part;
      const isOwn = providerExecuted !== undefined && { providerExecuted };
      return [{ type: "tool-call", toolCallId, toolName, input: parseJson(input) ?? {}, ...isOwn, ...options }];
    }
    case "tool-result": {
      const { toolCallId, toolName, result, isError } = part;
      const output = { type: isError === true ? ("error-json" as const) : ("json" as const), value: result };
      return [{ type: "tool-result", toolCallId, toolName, output, ...options }];
    }
    case "file":
    case "reasoning-file":
      return [{ type: part.type, mediaType: part.mediaType, data: part.data, ...options }];
    case "custom":
      return [{ type: "custom", kind: part.kind, ...options }];
    // Sources are told to readers, and a turn that waits for an approval is not one that has paused.
    default:
      return [];
  }
}

/**
 * A part of a resumed answer. Each answer numbers its blocks from the start, and whoever keeps them by their ids would
 * take those of the second for those of the first.
 */
export function renumbered(part: LanguageModelV4StreamPart, resumes: number): LanguageModelV4StreamPart {
  if (resumes === 0) return part;
  switch (part.type) {
    case "text-start":
    case "text-delta":
    case "text-end":
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
      return { ...part, id: `${part.id}-${resumes}` };
    default:
      return part;
  }
}
