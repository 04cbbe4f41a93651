import type { Signal } from "../observation.ts";
import type { Dialect } from "../plan/kinds.ts";
import { readFrame } from "../sse.ts";
import type { News } from "./answer.ts";

/** What stands in the frames of the four dialects, as far as it matters here. */
interface Frame {
  readonly type?: string;
  readonly error?: unknown;
  readonly fullstop?: Signal;
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason?: string | null;
  }[];
  readonly delta?:
    | string
    | {
        readonly type?: string;
        readonly text?: string;
        readonly thinking?: string;
        readonly partial_json?: string;
        readonly stop_reason?: string | null;
      };
  readonly index?: number;
  readonly output_index?: number;
  readonly item?: { readonly type?: string; readonly name?: string; readonly status?: string };
  readonly content_block?: { readonly type?: string; readonly name?: string };
  readonly response?: {
    readonly status?: string;
    readonly incomplete_details?: { readonly reason?: string } | null;
    readonly usage?: { readonly output_tokens?: number } | null;
    readonly fullstop?: Signal;
  };
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly Part[] };
    readonly finishReason?: string;
  }[];
  readonly usage?: { readonly completion_tokens?: number; readonly output_tokens?: number } | null;
  readonly usageMetadata?: { readonly candidatesTokenCount?: number; readonly thoughtsTokenCount?: number };
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: unknown };
}

/** Reads what has come of a stream, without any code of the library or the gateway. */
export function readStream(dialect: Dialect, body: string): readonly News[] {
  // The last one may have been cut because its reader left, or its writer.
  const frames = body.split("\n\n").slice(0, -1);
  return frames.flatMap((frame) => {
    const data = readFrame(frame)?.data;
    return data === undefined || data === "[DONE]" ? [] : READERS[dialect](JSON.parse(data) as Frame);
  });
}

const READERS: Readonly<Record<Dialect, (frame: Frame) => readonly News[]>> = {
  "openai-chat"({ error, choices = [], usage, fullstop: signal }) {
    if (error !== undefined) return [{ end: { isError: true }, signal }];
    const { delta = {}, finish_reason: word } = choices[0] ?? {};
    return [
      { text: delta.content ?? "", reasoning: delta.reasoning_content ?? "" },
      ...(delta.tool_calls ?? []).map(({ index, function: called }) => ({
        call: { key: String(index), name: called?.name ?? "", json: called?.arguments ?? "" },
      })),
      {
        outputTokens: usage?.completion_tokens,
        signal,
        ...(typeof word === "string" && { end: { word, isError: false } }),
      },
    ];
  },
  "openai-responses"({ type = "", delta, output_index: index, item, response }) {
    const piece = typeof delta === "string" ? delta : "";
    const key = String(index);
    switch (type) {
      case "response.output_text.delta":
        return [{ text: piece }];
      case "response.reasoning_summary_text.delta":
        return [{ reasoning: piece }];
      case "response.output_item.added":
        return item?.type === "function_call" ? [{ call: { key, name: item.name ?? "" } }] : [];
      case "response.function_call_arguments.delta":
        return [{ call: { key, json: piece } }];
      case "response.output_item.done":
        return item?.type === "function_call" && item.status === "completed" ? [{ call: { key, isDone: true } }] : [];
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "error": {
        const { status, incomplete_details: details, usage, fullstop: signal } = response ?? {};
        const isError = type === "response.failed" || type === "error";
        return [{ end: { word: details?.reason ?? status, isError }, signal, outputTokens: usage?.output_tokens }];
      }
      default:
        return [];
    }
  },
  "anthropic-messages"({ type, delta, index, content_block: block, usage, fullstop: signal }) {
    const piece = typeof delta === "object" ? delta : {};
    const key = String(index);
    switch (type) {
      case "content_block_start":
        return block?.type === "tool_use" ? [{ call: { key, name: block.name ?? "" } }] : [];
      case "content_block_delta":
        if (piece.type === "input_json_delta") return [{ call: { key, json: piece.partial_json ?? "" } }];
        return [{ text: piece.text ?? "", reasoning: piece.thinking ?? "" }];
      case "message_delta":
        return [{ signal, outputTokens: usage?.output_tokens, word: piece.stop_reason ?? undefined }];
      case "message_stop":
        return [{ end: { isError: false } }];
      case "error":
        return [{ end: { isError: true }, signal }];
      default:
        return [];
    }
  },
  gemini({ error, candidates = [], usageMetadata, fullstop: signal }) {
    if (error !== undefined) return [{ end: { isError: true }, signal }];
    const { content, finishReason: word } = candidates[0] ?? {};
    const { candidatesTokenCount: said, thoughtsTokenCount: thought = 0 } = usageMetadata ?? {};
    return [
      ...(content?.parts ?? []).map(({ text = "", thought: isThought = false, functionCall }): News => {
        if (functionCall === undefined) return isThought ? { reasoning: text } : { text };
        const { id = "", name = "", args } = functionCall;
        return { call: { key: `${id} ${name}`, name, json: JSON.stringify(args), isDone: true } };
      }),
      {
        signal,
        outputTokens: said === undefined ? undefined : said + thought,
        ...(word !== undefined && { end: { word, isError: false } }),
      },
    ];
  },
};
