import { checkFlag, checkFunction, checkNames, checkTokenIds } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { FinishEvent, GenerationEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import { preferOwnEnd } from "./own-end.ts";
import { ToolCallSplitter, isNaturalEnd } from "./tool-call-splitter.ts";
import type { ToolCallMarkers } from "./tool-call-splitter.ts";

/** How the tool calls of a model are found and what becomes of them. */
export interface ToolCallReaderOptions {
  /** The tokens that frame a call. The same letters spelt by other tokens are text. */
  readonly markers: ToolCallMarkers;
  /** The model's own end tokens: a call that is whole when one of them comes counts as closed. */
  readonly endTokenIds: readonly number[];
  /** Makes the id of a call; each has to be another. */
  readonly createCallId: () => string;
  /** Ends the generation after the first complete call. Default false. */
  readonly oneCall?: boolean | undefined;
  /** Is told in one sentence what is wrong with a block, once for each such block, when it ends. */
  readonly onMalformed?: ((problem: string) => void) | undefined;
}

/** The two stages that read the tool calls of one generation, one on each side of the guard. */
export interface ToolCallReader {
  /**
   * Goes before the guard. Makes calls of the blocks that the model writes, and counts on token ids with every piece
   * of text: a piece without them is not counted as a token where it lies in a block and outside the arguments.
   */
  readonly blocks: Stage<GenerationEvent, GenerationEvent>;
  /**
   * Goes after the guard. Where a block was no proper call, a natural end becomes `error_termination` with detail
   * `malformed_tool_call`, whatever complete calls stand beside it. A limit that is reached with the last token of the
   * one call that may be made is a natural end. Every other ending stays what it is.
   */
  readonly verdict: Stage<GenerationEvent, GenerationEvent>;
}

/**
 * Reads the tool calls of one generation from the blocks that models of the Hermes and Qwen families write: an opening
 * token, a JSON object with `name` and `arguments` (or `parameters`), and a closing token. A call starts as soon as its
 * name is whole and its arguments pass as they come; it ends only if the whole block is in order.
 */
export function createToolCallReader(options: ToolCallReaderOptions): ToolCallReader {
  checkOptions(options);
  const { markers, endTokenIds, createCallId, oneCall = false, onMalformed = () => undefined } = options;
  const settings = { markers, endTokenIds: new Set(endTokenIds), createCallId, oneCall, onMalformed };
  let blocks: ToolCallSplitter | undefined;
  return {
    blocks(next) {
      blocks = new ToolCallSplitter(next, settings);
      return blocks;
    },
    verdict: (next) => ({
      push(event) {
        next.push(event.type === "finish" && blocks !== undefined ? judge(event, blocks) : event);
      },
      end() {
        next.end();
      },
    }),
  };
}

function judge(given: FinishEvent, { ownEnd, problem }: ToolCallSplitter): FinishEvent {
  const event = ownEnd === undefined ? given : preferOwnEnd(given, ownEnd);
  if (problem === undefined || !isNaturalEnd(event)) return event;
  const signal = { ...event.signal, reason: "error_termination", detail: "malformed_tool_call" } as const;
  return { type: "finish", signal: { ...signal, message: problem } };
}

const OPTIONS = {
  markers: true,
  endTokenIds: true,
  createCallId: true,
  oneCall: true,
  onMalformed: true,
} as const satisfies Record<keyof ToolCallReaderOptions, true>;

function checkOptions(options: ToolCallReaderOptions): void {
  checkNames("tool call reader", options, OPTIONS);
  const { markers, endTokenIds, createCallId } = options;
  if (!isPair(markers)) throw invalidArgument("markers", "must be {open, close, openId, closeId}", markers);
  checkTokenIds("markers", [markers.openId, markers.closeId]);
  if (markers.openId === markers.closeId) throw invalidArgument("markers", "must have two ids", markers);
  if (!Array.isArray(endTokenIds)) throw invalidArgument("endTokenIds", "must be a list of token ids", endTokenIds);
  checkTokenIds("endTokenIds", endTokenIds);
  if (typeof createCallId !== "function") throw invalidArgument("createCallId", "must be a function", createCallId);
  checkFlag("oneCall", options.oneCall);
  checkFunction("onMalformed", options.onMalformed);
}

function isPair(markers: Partial<ToolCallMarkers> | null | undefined): boolean {
  return [markers?.open, markers?.close].every((marker: unknown) => typeof marker === "string" && marker !== "");
}
