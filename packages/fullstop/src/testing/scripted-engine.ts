import { checkFlag, checkNames } from "../check.ts";
import type { Engine } from "../engine.ts";
import { invalidArgument } from "../errors.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import { stopOnLeave } from "../leave.ts";
import { runGeneration } from "../seal.ts";
import { finish } from "./events.ts";
import { ScriptedThinking } from "./scripted-thinking.ts";

/**
 * One step of a scripted answer: an event, or something to do before the next one. To wait, give a gate's `pass`; to
 * fail, throw.
 */
export type ScriptStep = GenerationEvent | (() => void | Promise<void>);

/** A scripted answer, or how to make one of the request. */
export type ScriptedAnswer = readonly ScriptStep[] | ((request: GenerationRequest) => readonly ScriptStep[]);

/** An engine that says what it was told to, and remembers what it was asked. */
export interface ScriptedEngine extends Engine {
  /** The requests in the order in which they came. */
  readonly requests: readonly GenerationRequest[];
}

/** Options of {@link createScriptedEngine}. */
export interface ScriptedEngineOptions {
  /**
   * Whether the engine keeps the promises of one: exactly one finish, no throwing. False lets a script show what
   * happens to those who rely on an engine that does not. Default true.
   */
  readonly isSealed?: boolean | undefined;
  /**
   * Whether its generations can leave their thinking: whatever the script has before the first text, call or finish is
   * left out then, also a step that is being waited for. Default false: they have no `skipThinking`.
   */
  readonly skipsThinking?: boolean | undefined;
}

/**
 * Creates an engine for tests. Each call is answered by the next of a list of answers; a function answers all of them.
 * A call for which there is no answer left ends with an error that says so.
 */
export function createScriptedEngine(
  script: readonly ScriptedAnswer[] | ((request: GenerationRequest) => readonly ScriptStep[]),
  options: ScriptedEngineOptions = {},
): ScriptedEngine {
  checkNames("scripted engine options", options, { isSealed: true, skipsThinking: true });
  checkFlag("isSealed", options.isSealed);
  checkFlag("skipsThinking", options.skipsThinking);
  if (typeof script !== "function" && typeof script?.at !== "function") {
    throw invalidArgument("script", "must be a list of answers or a function", script);
  }
  const requests: GenerationRequest[] = [];
  return {
    requests,
    generate(request, signal) {
      const answer = typeof script === "function" ? script : (script[requests.length] ?? noAnswer(requests.length));
      requests.push(request);
      const left = new AbortController();
      const ended = AbortSignal.any([signal, left.signal]);
      const thinking = new ScriptedThinking(ended);
      const events = play(answer, request, ended, thinking);
      const generation =
        options.isSealed === false
          ? events
          : stopOnLeave(
              runGeneration(events, (next) => next, { signal: ended }),
              () => left.abort(),
            );
      if (options.skipsThinking !== true) return generation;
      return { [Symbol.asyncIterator]: () => generation, skipThinking: () => thinking.skip() };
    },
  };
}

function noAnswer(count: number): readonly ScriptStep[] {
  const message = `The script has ${count} answers, and this is request ${count + 1}`;
  return [finish("error_termination", { detail: "script_over", message })];
}

async function* play(
  answer: ScriptedAnswer,
  request: GenerationRequest,
  signal: AbortSignal,
  thinking: ScriptedThinking,
): AsyncGenerator<GenerationEvent, void, undefined> {
  for (const step of typeof answer === "function" ? answer(request) : answer) {
    if (signal.aborted) return;
    if (thinking.leavesOut(step)) continue;
    if (typeof step === "function") await thinking.during(step());
    else yield step;
  }
}
