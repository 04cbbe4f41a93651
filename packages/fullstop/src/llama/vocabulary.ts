import type { LlamaModel } from "node-llama-cpp";
import { detectReasoningMarkers } from "../reasoning/markers.ts";
import type { ReasoningTokenMarkers } from "../reasoning/markers.ts";
import { TOKEN_TYPES, literalBytes, tokenBytesOf } from "./token-bytes.ts";
import type { TokenBytes } from "./token-bytes.ts";
import type { ToolCallMarkers } from "./tool-call-splitter.ts";

/** What is known of a model's tokens, worked out once when it is loaded. */
export interface Vocabulary {
  /** The tokens by which the model ends its answer. */
  readonly endTokenIds: readonly number[];
  /** The tokens that frame its thinking, where it has such. */
  readonly thinking: ReasoningTokenMarkers | undefined;
  /** The tokens that frame its tool calls, where it has such. */
  readonly toolCalls: ToolCallMarkers | undefined;
  /** How the tokens are spelt that are no ordinary text: in what a person writes they must stay letters. */
  readonly markers: readonly string[];
  /** The bytes of a token. Tokens that only steer the model have none. */
  bytesOf(id: number): Uint8Array;
  /** The length of the longest token, so that it can be told of a text how many tokens it has at least. */
  readonly longestToken: number;
}

/** Reads a model's vocabulary. Its chat template tells which tokens of its makers' own are markers. */
export function readVocabulary(model: LlamaModel, template: string): Vocabulary {
  const { tokens, token_type: types, model: kind } = model.fileInfo.metadata.tokenizer.ggml;
  const toBytes = tokenBytesOf(kind) ?? ((spelling: string): Uint8Array => literalBytes(spelling));
  const markerIds = new Map<string, number>();
  for (const [id, type] of types.entries()) {
    if (isMarker(type, tokens[id] ?? "", template)) markerIds.set(tokens[id] ?? "", id);
  }
  markerIds.delete("");
  const idOf = (spelling: string): number | undefined => markerIds.get(spelling);
  return {
    endTokenIds: [...model.iterateAllTokens()].filter((token) => model.isEogToken(token)),
    thinking: detectReasoningMarkers(idOf),
    toolCalls: findPair(idOf, "<tool_call>", "</tool_call>"),
    markers: [...markerIds.keys()],
    bytesOf: createByteTable(tokens, types, toBytes),
    longestToken: tokens.reduce((longest, { length }) => Math.max(longest, length), 1),
  };
}

/**
 * Tokens that steer a model are always markers. Those that its makers have added are often ordinary text, such as runs of
 * spaces; they are markers where the template speaks of them.
 */
function isMarker(type: number, spelling: string, template: string): boolean {
  if (type === TOKEN_TYPES.control || type === TOKEN_TYPES.unknown) return true;
  return type === TOKEN_TYPES.userDefined && spelling.trim() !== "" && template.includes(spelling);
}

function findPair(
  idOf: (spelling: string) => number | undefined,
  open: string,
  close: string,
): ToolCallMarkers | undefined {
  const openId = idOf(open);
  const closeId = idOf(close);
  return openId === undefined || closeId === undefined ? undefined : { open, close, openId, closeId };
}

const NO_BYTES = new Uint8Array();

/** Spells tokens when they are first met: most of a vocabulary never is. */
function createByteTable(
  tokens: readonly string[],
  types: readonly number[],
  toBytes: TokenBytes,
): (id: number) => Uint8Array {
  const table: (Uint8Array | undefined)[] = Array.from({ length: tokens.length });
  const spell = (id: number): Uint8Array => {
    const type = types[id] ?? TOKEN_TYPES.normal;
    if (type === TOKEN_TYPES.control || type === TOKEN_TYPES.unknown) return NO_BYTES;
    const spelling = tokens[id] ?? "";
    return type === TOKEN_TYPES.userDefined ? literalBytes(spelling) : toBytes(spelling);
  };
  return (id) => (table[id] ??= spell(id));
}
