import { checkNames } from "../check.ts";
import { checkRequest } from "../check-request.ts";
import type { TerminationPolicy } from "../decide/policy.ts";
import type { Engine } from "../engine.ts";
import { invalidArgument } from "../errors.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest, UserMessage } from "../request.ts";
import { createRandomId } from "../random-id.ts";
import type { Stage } from "../stage.ts";
import { maxCharactersOf, stopRulesOf } from "../stop/request-rules.ts";
import type { CallWatchOptions } from "./call-cycles.ts";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { CurrentGeneration } from "./current-generation.ts";
import { withEarlyLeave } from "./early-leave.ts";
import type { AgentEvent } from "./events.ts";
import type { RunLimits } from "./limits.ts";
import { AgentLoop } from "./loop.ts";
import { RunReading } from "./run-reading.ts";
import type { AgentResult } from "./result.ts";
import { DEADLINE } from "./record.ts";
import { checkEngine, fillIn } from "./run-options.ts";
import type { FallbackModel, RunSetup } from "./run-setup.ts";
import type { AgentSettingOptions } from "./settings.ts";
import { createSteeringQueue } from "./steering.ts";
import type { QueuedMessage } from "./steering.ts";
import type { AgentTool } from "./tools.ts";

/** What an agent is to do, and within which bounds. */
export interface AgentOptions {
  readonly engine: Engine;
  readonly request: GenerationRequest;
  readonly tools?: readonly AgentTool[] | undefined;
  /** What to do after each kind of ending. Default: the policy for agents. */
  readonly policy?: TerminationPolicy | undefined;
  /** Limits on the whole run. */
  readonly limits?: RunLimits | undefined;
  /** When repeated calls count as a loop. */
  readonly repetition?: CallWatchOptions | undefined;
  readonly settings?: AgentSettingOptions | undefined;
  /** Another model for an answer that was refused or filtered. */
  readonly fallback?: FallbackModel | undefined;
  /** What every answer passes through, such as a guard. Its limits are counted anew in each, also in the rest of one. */
  readonly stage?: Stage<GenerationEvent, GenerationEvent> | undefined;
  /** Stops the run. A string as its reason says who or what did. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  /** The id that every event of the run bears. Default: a random one. */
  readonly id?: string | undefined;
}

/** What a stop has come to. */
export interface StopReceipt {
  /** False if the run was over already, or was stopped before. */
  readonly stopped: boolean;
  /** Messages that the model has not seen. They are not lost: the result lists them too. */
  readonly surviving: readonly QueuedMessage[];
}

/** A run of an agent. It goes on as its events are read; `result` reads them if nobody else does. */
export interface AgentRun extends AsyncIterable<AgentEvent> {
  readonly id: string;
  /** Says something to the model at its next step. Throws once the run is over: its result has been made without it. */
  steer(message: UserMessage | string, id?: string): QueuedMessage;
  /** Says something to the model when it is done. Throws as `steer` does. */
  followUp(message: UserMessage | string, id?: string): QueuedMessage;
  /**
   * Asks the model to leave its thinking and answer now, within the same answer. Returns whether that will happen: not
   * while no answer is under way, not when its thinking is over, and not where the engine cannot do it, which
   * `createSkippableEngine` of `fullstop/engines` mends.
   */
  skipThinking(): boolean;
  /** Stops the run: what came is kept, every call gets a result, and the model will be told. */
  stop(detail?: string): StopReceipt;
  /**
   * The result, once the run is over. Runs to the end if nobody reads the events. Whoever wants both begins to iterate
   * before this is called, or in the same step; later that is refused, because the first events would be missing.
   */
  result(): Promise<AgentResult>;
}

const NAMES: Readonly<Record<keyof AgentOptions, true>> = {
  engine: true,
  request: true,
  tools: true,
  policy: true,
  limits: true,
  repetition: true,
  settings: true,
  fallback: true,
  stage: true,
  signal: true,
  clock: true,
  id: true,
};

/** Creates a run. Nothing is sent before its events are read. */
export function createAgentRun(options: AgentOptions): AgentRun {
  const controller = new AbortController();
  const queue = createSteeringQueue();
  const current = new CurrentGeneration();
  const setup = { ...createSetup(options), queue, current, signal: controller.signal };
  const { id: runId = createRandomId(), signal } = options;
  const outcome = createOutcome<AgentResult>();
  let isOver = false;

  async function* read(): AsyncGenerator<AgentEvent, void, undefined> {
    const over = new AbortController();
    const follow = (): void => controller.abort(signal?.reason);
    signal?.addEventListener("abort", follow, { once: true, signal: over.signal });
    if (signal?.aborted === true) follow();
    const deadline = watchDeadline(setup.limits.maxMilliseconds, setup.clock, controller, over.signal);
    try {
      for await (const event of new AgentLoop(setup).run()) {
        if (event.type === "end") {
          isOver = true;
          outcome.resolve(event.result);
        }
        yield { ...event, runId };
      }
    } finally {
      // Whoever leaves early leaves tools behind that have to be told.
      leave();
      isOver = true;
      queue.close();
      outcome.reject(invalidArgument("run", "must be read to its end for a result", "broken off"));
      over.abort();
      await deadline;
    }
  }

  const leave = (): void => {
    if (!isOver) controller.abort("disconnect");
  };
  const reading = new RunReading(withEarlyLeave(read(), leave));
  return {
    id: runId,
    [Symbol.asyncIterator]: () => reading.iterate(),
    steer: (message, id) => queue.add("steer", message, id),
    followUp: (message, id) => queue.add("follow-up", message, id),
    skipThinking: () => !controller.signal.aborted && current.skipThinking(),
    stop(detail = "user") {
      const stopped = !isOver && !controller.signal.aborted;
      controller.abort(detail);
      return { stopped, surviving: queue.waiting() };
    },
    async result() {
      await reading.readToEnd();
      return outcome.promise;
    },
  };
}

/** Everything but what belongs to one run, checked and filled in. */
function createSetup(options: AgentOptions): Omit<RunSetup, "queue" | "current" | "signal"> {
  checkNames("agent options", options, NAMES);
  const { engine, request, fallback, signal, id } = options;
  checkEngine("engine", engine);
  checkRequest(request);
  if (fallback !== undefined) checkFallback(fallback);
  if (signal !== undefined && typeof signal?.addEventListener !== "function") {
    throw invalidArgument("signal", "must be an AbortSignal", signal);
  }
  if (id !== undefined && typeof id !== "string") throw invalidArgument("id", "must be a string", id);
  const common = fillIn(options);
  const isOnePiece = (request.output?.type ?? "text") !== "text";
  const maxCharacters = maxCharactersOf(request);
  const settings = { ...common.settings, stopRules: stopRulesOf(request), maxCharacters, isOnePiece };
  return { ...common, settings, engine, request, fallback };
}

function checkFallback(fallback: FallbackModel): void {
  checkNames("fallback", fallback, { model: true, engine: true });
  const { model, engine } = fallback;
  if (typeof model !== "string" || model === "") {
    throw invalidArgument("fallback model", "must be the name of a model", model);
  }
  if (engine !== undefined) checkEngine("fallback engine", engine);
}

interface Outcome<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A promise that is kept or broken from outside. Whoever never asks for it need not hear that it was broken. */
function createOutcome<T>(): Outcome<T> {
  let resolve: ((value: T) => void) | undefined;
  let reject: ((error: unknown) => void) | undefined;
  const promise = new Promise<T>((keep, fail) => {
    resolve = keep;
    reject = fail;
  });
  promise.catch(() => undefined);
  return { promise, resolve: (value) => resolve?.(value), reject: (error) => reject?.(error) };
}

/** Stops a run that takes longer than it may, also in the middle of an answer. */
async function watchDeadline(
  milliseconds: number | undefined,
  clock: Clock,
  controller: AbortController,
  over: AbortSignal,
): Promise<void> {
  if (milliseconds === undefined) return;
  await sleep(clock, milliseconds, over);
  if (!over.aborted) controller.abort(DEADLINE);
}
