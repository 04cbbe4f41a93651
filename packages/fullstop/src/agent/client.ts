import { checkFunction, checkNames } from "../check.ts";
import { checkRequest } from "../check-request.ts";
import { createTerminationReport } from "../decide/report.ts";
import type { TerminationReport } from "../decide/report-types.ts";
import type { Engine } from "../engine.ts";
import { invalidArgument } from "../errors.ts";
import type { GenerationRequest, Message } from "../request.ts";
import type { RequestRules } from "../stop/request-rules.ts";
import { withEarlyLeave } from "./early-leave.ts";
import type { AgentEvent } from "./events.ts";
import type { AgentResult } from "./result.ts";
import { createAgentRun } from "./run.ts";
import type { AgentOptions, AgentRun } from "./run.ts";
import { checkEngine, fillIn } from "./run-options.ts";
import { RunReading } from "./run-reading.ts";
import { withoutUndefined } from "./settings.ts";
import { userMessage } from "./steering.ts";

/** Told of the events of runs. One that takes its time is not waited for, and one that fails is only warned of. */
export type RunListener = (event: AgentEvent) => void | Promise<void>;

/** What every run of a client has in common. */
export interface ClientOptions extends Omit<AgentOptions, "engine" | "request" | "fallback" | "signal" | "id"> {
  /** Engines by the name of their provider: the model `acme/large` is the model `large` of the engine `acme`. */
  readonly providers: Readonly<Record<string, Engine>>;
  /** Whose model it is where the name does not say. Default: the first provider. */
  readonly defaultProvider?: string | undefined;
  /** Another model for answers that were refused or filtered, by the same kind of name. */
  readonly fallbackModel?: string | undefined;
  /** Told of everything that happens, in every run. */
  readonly onEvent?: RunListener | undefined;
}

/** A request to a client: that of a generation, or a plain text in place of the messages. */
export interface ClientRequest extends Omit<GenerationRequest, "messages"> {
  readonly messages: readonly Message[] | string;
  /** Stop rules beyond `stop`, for the engines that apply some: those of hosted providers and of local models. */
  readonly rules?: RequestRules | undefined;
}

/** What differs from one run of a client to the next. */
export type ClientRunOptions = Partial<
  Pick<AgentOptions, "tools" | "policy" | "limits" | "repetition" | "settings" | "stage" | "signal" | "id">
> & {
  /** Told of everything that happens in this run. */
  readonly onEvent?: RunListener | undefined;
};

/** What a conversation has come to, and a report of how it ended. */
export interface ClientResult extends AgentResult {
  readonly report: TerminationReport | undefined;
}

/** Talks to any model of any provider, with tools, over as many turns as it takes. */
export interface Client {
  /** Runs to the end and gives the result. */
  chat(request: ClientRequest, options?: ClientRunOptions): Promise<ClientResult>;
  /**
   * Begins a run whose events are read as they come, and which can be steered and stopped. Whoever leaves its events
   * before the end stops it, which those who listen are told like any other end.
   */
  stream(request: ClientRequest, options?: ClientRunOptions): AgentRun;
}

const NAMES: Readonly<Record<keyof ClientOptions, true>> = {
  providers: true,
  defaultProvider: true,
  fallbackModel: true,
  onEvent: true,
  tools: true,
  policy: true,
  limits: true,
  repetition: true,
  settings: true,
  stage: true,
  clock: true,
};

const RUN_NAMES: Readonly<Record<keyof ClientRunOptions, true>> = {
  tools: true,
  policy: true,
  limits: true,
  repetition: true,
  settings: true,
  stage: true,
  signal: true,
  id: true,
  onEvent: true,
};

/** Creates a client for the given providers. */
export function createClient(options: ClientOptions): Client {
  checkNames("client options", options, NAMES);
  const { providers, defaultProvider, fallbackModel, onEvent, ...shared } = options;
  checkFunction("onEvent", onEvent);
  fillIn(shared);
  if (typeof providers !== "object" || providers === null) {
    throw invalidArgument("providers", "must be engines by name, such as { acme: engine }", providers);
  }
  for (const [name, engine] of Object.entries(providers)) checkEngine(`providers ${name}`, engine);
  if (fallbackModel !== undefined && (typeof fallbackModel !== "string" || fallbackModel === "")) {
    throw invalidArgument("fallbackModel", "must be the name of a model", fallbackModel);
  }
  const names = Object.keys(providers);
  const [first] = names;
  if (first === undefined) throw invalidArgument("providers", "must hold at least one engine", providers);
  const usual = defaultProvider ?? first;

  function find(model: string): NamedModel {
    const slash = model.indexOf("/");
    const provider = model.slice(0, Math.max(0, slash));
    const named = slash === -1 ? undefined : ownEngine(providers, provider);
    if (named !== undefined) return { provider, engine: named, model: model.slice(slash + 1) };
    const engine = ownEngine(providers, usual);
    if (engine === undefined) throw invalidArgument("defaultProvider", `must be one of ${names.join(", ")}`, usual);
    return { provider: usual, engine, model };
  }

  function stream(request: ClientRequest, runOptions: ClientRunOptions = {}): AgentRun {
    const asked = toGenerationRequest(request);
    checkRequest(asked);
    checkNames("run options", runOptions, RUN_NAMES);
    const { provider, engine, model } = find(request.model);
    const { onEvent: onRunEvent, ...given } = withoutUndefined(runOptions);
    checkFunction("onEvent", onRunEvent);
    const found = fallbackModel === undefined ? undefined : find(fallbackModel);
    // The same model would be asked the same again.
    const other = found?.engine === engine && found.model === model ? undefined : found;
    const run = createAgentRun({
      ...shared,
      ...given,
      engine,
      request: { ...asked, model },
      ...(other !== undefined && { fallback: { engine: other.engine, model: other.model } }),
    });
    const listeners = [onEvent, onRunEvent].filter((listener) => listener !== undefined);
    return observe(run, nameProviders(provider, other?.provider), listeners);
  }

  find(usual);
  return {
    stream,
    async chat(request, runOptions) {
      const result = await stream(request, runOptions).result();
      return { ...result, report: reportOf(result, request.model) };
    },
  };
}

function toGenerationRequest(request: ClientRequest): GenerationRequest {
  const { messages } = request ?? {};
  return { ...request, messages: typeof messages === "string" ? [userMessage(messages)] : messages };
}

/** A model, where it runs, and the client's name for that. */
interface NamedModel {
  readonly provider: string;
  readonly engine: Engine;
  readonly model: string;
}

function ownEngine(providers: Readonly<Record<string, Engine>>, name: string): Engine | undefined {
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

/** Says with every turn whose model is asked: the fallback's, once the run has turned to that. */
function nameProviders(main: string, fallback = main): (event: AgentEvent) => AgentEvent {
  let provider = main;
  return (event) => {
    if (event.type === "decision" && event.decision.suggestedAction === "switch_model") provider = fallback;
    return event.type === "turn-start" ? { ...event, provider } : event;
  };
}

/** A run whose events say more than it knows, and are told to others as well, whoever reads them. */
function observe(
  run: AgentRun,
  complete: (event: AgentEvent) => AgentEvent,
  listeners: readonly RunListener[],
): AgentRun {
  let isOver = false;
  const leave = (): void => {
    if (!isOver) run.stop("disconnect");
  };

  async function* read(): AsyncGenerator<AgentEvent, void, undefined> {
    const given = run[Symbol.asyncIterator]();
    async function next(): Promise<AgentEvent | undefined> {
      const step = await given.next();
      if (step.done === true) return undefined;
      const event = complete(step.value);
      isOver ||= event.type === "end";
      for (const listener of listeners) tell(listener, event);
      return event;
    }
    try {
      for (let event = await next(); event !== undefined; event = await next()) yield event;
    } finally {
      // Whoever leaves early stops the run, and those who listen are told how it ends.
      leave();
      for (let event = await next(); event !== undefined;) event = await next();
    }
  }
  const reading = new RunReading(withEarlyLeave(read(), leave));
  return {
    ...run,
    [Symbol.asyncIterator]: () => reading.iterate(),
    async result() {
      await reading.readToEnd();
      return run.result();
    },
  };
}

/** A listener that fails, such as a log that cannot be written, is no reason to lose an answer that was paid for. */
function tell(listener: RunListener, event: AgentEvent): void {
  try {
    const told = listener(event);
    if (told instanceof Promise) told.catch(warnOfListener);
  } catch (error) {
    warnOfListener(error);
  }
}

function warnOfListener(error: unknown): void {
  console.warn("fullstop: a listener for the events of a run has failed", error);
}

function reportOf(result: AgentResult, model: string): TerminationReport | undefined {
  const { end, signals, decisions, turns, usage, milliseconds } = result;
  const signal = signals.at(-1);
  if (signal === undefined) return undefined;
  return createTerminationReport(signal, { end, turns, usage, decisions, durationMilliseconds: milliseconds, model });
}
