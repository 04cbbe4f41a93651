import { checkFunction, checkNames } from "../check.ts";
import type { Engine } from "../engine.ts";
import { invalidArgument } from "../errors.ts";
import { SkippableGeneration } from "./skippable-generation.ts";
import type { LeaveThinking } from "./skippable-generation.ts";

/** Options of {@link createSkippableEngine}. */
export interface SkippableEngineOptions {
  /**
   * Tells a server to leave its thinking within the answer that it is giving, by the id and the model's name that the
   * answer has there. False, or a failure, if it did not; then the answer is given up for another one.
   */
  readonly leaveThinking?: LeaveThinking | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof SkippableEngineOptions, true>> = { leaveThinking: true };

/**
 * Creates an engine whose thinking can be skipped, of one whose cannot, such as that of a hosted provider: the request
 * that thinks is given up and the engine is asked again for an answer without thinking, with what it had thought so far
 * as a note. Both come out as one generation, with the tokens of both and an event that says `skipped` between them.
 *
 * A generation that can skip its thinking by itself is asked to. Thinking counts as under way until a text or a call
 * has come, also while nothing comes at all, because many providers do not show it. A second wish changes nothing.
 */
export function createSkippableEngine(engine: Engine, options: SkippableEngineOptions = {}): Engine {
  checkNames("skippable engine options", options, OPTION_NAMES);
  checkFunction("leaveThinking", options.leaveThinking);
  if (typeof engine?.generate !== "function") throw invalidArgument("engine", "must have a generate function", engine);
  const { leaveThinking } = options;
  const countTokens = engine.countTokens?.bind(engine);
  return {
    ...(countTokens !== undefined && { countTokens }),
    generate: (request, signal) => new SkippableGeneration({ engine, request, signal, leaveThinking }),
  };
}
