import type { GenerationEvent, GenerationRequest, StopRule, Take, Usage } from "fullstop";
import type { LlamaRules } from "fullstop/llama";
import type { WireWarning } from "fullstop/wire";
import type { Target } from "../models/model-router.ts";
import type { StreamWay } from "../models/refused-streams.ts";
import { costRules } from "../rules/cost-limit.ts";
import { LocalAnswer } from "./local-answer.ts";
import { RemoteAnswer } from "./remote-answer.ts";

/** What came of the wish that a model leaves its thinking. */
export type ThinkingOutcome =
  /** It goes on in the same answer, without more thinking. */
  | "left"
  /** The answer was given up. The model has to be asked again, for one without thinking. */
  | "given up"
  /** There was no thinking to leave. */
  | "not thinking";

/** One answer of one model, on its way. */
export interface ModelAnswer {
  /** Hands over its events, as the stop rules let them through: whatever came at once in one list, the finish last. */
  deliver(take: Take<readonly GenerationEvent[]>): Promise<void>;
  /** How many characters the model has sent; more than its events have where the rules removed some. */
  readonly sentCharacters: number;
  /** Whether the last token counts among its events are all of it. */
  readonly isCounted: boolean;
  /** What of the request the model's provider could not be told. */
  readonly warnings: readonly WireWarning[];
  /** Ends it now, for a reason. */
  stop(reason: string): void;
  /** Whether it was given up for another one without thinking. */
  readonly isGivenUp: boolean;
  /** Has the model leave its thinking, in the same answer or, if it may be given up, in another one. */
  leaveThinking(mayGiveUp: boolean): Promise<ThinkingOutcome>;
}

/** How an answer is asked for. */
export interface AnswerOptions {
  /** How a provider is asked for it. */
  readonly way: StreamWay;
  readonly rules: LlamaRules;
  /** Rules that are this generation's own. */
  readonly ownRules: readonly StopRule[];
  /** What the answer may cost by the model's prices. */
  readonly maxCost?: number | undefined;
  /** What was spent before it, on answers that were given up. */
  readonly spentBefore?: Usage | undefined;
  /** Told how long text was held back by a stop string that might have begun. */
  readonly onHeldBack: (milliseconds: number) => void;
}

/** Asks a model. Stop rules are applied by its engine, to its tokens, or else here, to what comes of it. */
export function askModel(target: Target, request: GenerationRequest, options: AnswerOptions): ModelAnswer {
  const asked = { ...request, model: target.model, stream: options.way !== "whole" };
  const ownRules = [...options.ownRules, ...costRules(options.maxCost, target, request, options.spentBefore)];
  const all = { ...options, ownRules };
  return target.appliesRules ? new LocalAnswer(target, asked, all) : new RemoteAnswer(target, asked, all);
}
