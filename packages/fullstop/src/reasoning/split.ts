import { checkFlag, checkNames, checkTokenIds } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { GenerationEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import { REASONING_MARKERS } from "./markers.ts";
import type { ReasoningMarkers, ReasoningTokenMarkers } from "./markers.ts";
import { TextSplitter, compileMarkers } from "./text-splitter.ts";
import { TokenSplitter } from "./token-splitter.ts";

/** How a splitter finds the thinking in a model's text. */
export interface ReasoningSplitterOptions {
  /** Which markers to look for in the text. Default: all that are known. */
  readonly markers?: readonly ReasoningMarkers[] | undefined;
  /**
   * Markers that are tokens of their own. Events must then carry token ids, and only the token opens or closes a
   * block: the same letters spelt out by other tokens are text.
   */
  readonly tokenMarkers?: ReasoningTokenMarkers | undefined;
  /** True when the prompt has already opened the block, as many chat templates do. Default false. */
  readonly startsInReasoning?: boolean | undefined;
  /** Whether the markers themselves are passed on, as part of the reasoning. Default false. */
  readonly keepMarkers?: boolean | undefined;
}

/**
 * Turns text into text and reasoning: what stands between a pair of markers becomes `reasoning` events. There may be
 * several blocks; a block that is never closed is reasoning to the end; a closing marker without a block is text.
 * Events of other kinds pass, reasoning that the source has already told apart included.
 */
export function defineReasoningSplitter(
  options: ReasoningSplitterOptions = {},
): Stage<GenerationEvent, GenerationEvent> {
  checkNames("reasoning splitter", options, OPTIONS);
  checkFlag("startsInReasoning", options.startsInReasoning);
  checkFlag("keepMarkers", options.keepMarkers);
  const { markers = REASONING_MARKERS, tokenMarkers, startsInReasoning = false, keepMarkers = false } = options;
  const settings = { startsInReasoning, keepMarkers };
  if (tokenMarkers !== undefined) {
    checkMarkers([tokenMarkers]);
    checkTokenIds("tokenMarkers", [tokenMarkers.openId, tokenMarkers.closeId]);
    return (next) => new TokenSplitter(next, tokenMarkers, settings);
  }
  checkMarkers(markers);
  const compiled = compileMarkers(markers);
  return (next) => new TextSplitter(next, compiled, settings);
}

const OPTIONS = {
  markers: true,
  tokenMarkers: true,
  startsInReasoning: true,
  keepMarkers: true,
} as const satisfies Record<keyof ReasoningSplitterOptions, true>;

function checkMarkers(markers: readonly ReasoningMarkers[]): void {
  const isList = Array.isArray(markers) && markers.length > 0;
  if (!isList || !markers.every(isPair)) {
    throw invalidArgument("markers", "must be a list of {open, close} pairs", markers);
  }
}

function isPair({ open, close }: ReasoningMarkers): boolean {
  return [open, close].every((marker: unknown) => typeof marker === "string" && marker !== "");
}
