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
  const { markers = REASONING_MARKERS, tokenMarkers, startsInReasoning = false, keepMarkers = false } = options;
  const settings = { startsInReasoning, keepMarkers };
  if (tokenMarkers !== undefined) {
    checkMarkers([tokenMarkers]);
    return (next) => new TokenSplitter(next, tokenMarkers, settings);
  }
  checkMarkers(markers);
  const compiled = compileMarkers(markers);
  return (next) => new TextSplitter(next, compiled, settings);
}

function checkMarkers(markers: readonly ReasoningMarkers[]): void {
  if (markers.length === 0) throw invalidArgument("markers", "must hold at least one pair", markers);
  for (const pair of markers) {
    if (typeof pair.open !== "string" || typeof pair.close !== "string" || pair.open === "" || pair.close === "") {
      throw invalidArgument("markers", "must hold pairs of non-empty strings, open and close", pair);
    }
  }
}
