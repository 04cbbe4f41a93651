import { compose, defineGuard, defineReasoningSplitter, failedSignal, runGeneration, truncatedSignal } from "fullstop";
import type {
  Generation,
  GenerationEvent,
  GenerationRequest,
  TerminationReason,
  TerminationSignal,
  Usage,
} from "fullstop";
import type { LlamaRequest } from "fullstop/llama";
import type { Target } from "../models/model-router.ts";
import { compileRules } from "../rules/compile-rules.ts";
import type { GenerationSettings } from "../rules/generation-settings.ts";
import { EventLog } from "./event-log.ts";
import { createSentenceEnd } from "./sentence-end.ts";
import { addUsage, estimateUsage, settleUsage } from "./usage.ts";

/** How many events a reader may be behind before the model has to wait for it. */
const MOST_BEHIND = 1000;

/** The endings after which a provider does not say what it has counted, or only what it had counted at the start. */
const ENDED_EARLY: ReadonlySet<TerminationReason> = new Set([
  "cancelled",
  "stop_sequence",
  "repetition_detected",
  "budget_exceeded",
  "error_termination",
]);

/** Compiled once for all: it takes 280 µs, about as long as all the rest of a short answer. */
const REASONING_SPLITTER = defineReasoningSplitter();

/** Why an answer is given up for another one. It is never told to anybody. */
const SKIP_THINKING = Symbol("skip thinking");

/** What a generation is made of. */
export interface GenerationSpec {
  readonly id: string;
  /** Whose it is: only they, and operators, may see or stop it. */
  readonly owner: string;
  readonly request: GenerationRequest;
  readonly settings: GenerationSettings;
  /** The model to ask, and those to ask instead if it fails before it has said anything. */
  readonly targets: readonly Target[];
}

/** One generation from its start to its end, independent of whoever reads it. */
export class LiveGeneration {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly startedAt: number = Date.now();
  readonly log: EventLog = new EventLog();
  /** Fulfilled with how it ended. */
  readonly ended: Promise<TerminationSignal>;
  readonly #spec: GenerationSpec;
  readonly #sentenceEnd = createSentenceEnd();
  /** The answer of a local model, which can be told to leave its thinking. */
  #current: Generation | undefined;
  /** Ends the answer that is being read: for good, or to ask again. */
  #attempt = new AbortController();
  /** Whether that answer can be given up for another one, because nobody can tell its model to leave its thinking. */
  #canRestart = false;
  /** Why it was stopped, if it was. */
  #stopDetail: string | undefined;
  /** What was spent on an answer that was given up for another one. */
  #spentBefore: Usage | undefined;
  #signal: TerminationSignal | undefined;

  constructor(spec: GenerationSpec) {
    this.id = spec.id;
    this.owner = spec.owner;
    this.model = spec.request.model;
    this.#spec = spec;
    this.ended = this.#run().catch((error: unknown) => this.#finish(failedSignal(error)));
  }

  /** How it ended, once it has. */
  get signal(): TerminationSignal | undefined {
    return this.#signal;
  }

  /** Ends it now. What was generated so far is kept. */
  stop(detail: string): void {
    this.#stopDetail ??= detail;
    this.#attempt.abort(this.#stopDetail);
    // Its end must not wait for a reader that has stopped reading.
    this.log.setFree();
  }

  /** Ends it at the end of the sentence that is being written. */
  stopAtSentenceEnd(detail: string): void {
    this.#sentenceEnd.request(detail);
  }

  /** Ends its thinking, so that the answer follows. False if there is no thinking to end. */
  skipThinking(): boolean {
    if (this.#current?.skipThinking !== undefined) return this.#current.skipThinking();
    if (!this.#canRestart || this.#attempt.signal.aborted || this.#hasAnswered()) return false;
    this.#attempt.abort(SKIP_THINKING);
    return true;
  }

  async #run(): Promise<TerminationSignal> {
    const { targets, request } = this.#spec;
    this.log.append({ type: "start", id: this.id, model: request.model });
    let signal = truncatedSignal();
    for (const target of targets) {
      signal = await this.#ask(target, request);
      // Where something was said, or somebody has stopped it, nobody else is asked.
      if (signal.reason !== "error_termination" || this.log.length > 1) break;
    }
    return this.#finish(signal);
  }

  #finish(signal: TerminationSignal): TerminationSignal {
    this.#signal = signal;
    this.#countTokens(signal);
    this.log.append({ type: "finish", signal });
    this.log.close();
    return signal;
  }

  /** Asks one model and writes down what it says, but for the finish, which is returned. */
  async #ask(target: Target, request: GenerationRequest): Promise<TerminationSignal> {
    this.#attempt = new AbortController();
    if (this.#stopDetail !== undefined) this.#attempt.abort(this.#stopDetail);
    const { signal: stopped } = this.#attempt;
    const generation = this.#generate(target, { ...request, model: target.model, stream: true }, stopped);
    let signal: TerminationSignal | undefined;
    for await (const events of generation) {
      const last = events.at(-1);
      if (last?.type === "finish") signal = last.signal;
      const isSkipping = stopped.reason === SKIP_THINKING;
      this.#write(isSkipping ? events.filter(({ type }) => type === "reasoning") : events);
      // Nearly always there is room, and waiting for nothing would let go of a chunk in the middle of its way.
      const room = this.log.room(MOST_BEHIND);
      if (room !== undefined) await room;
    }
    // A provider cannot be told to leave its thinking, so it is asked again for an answer without any. If somebody has
    // stopped all of it in the meantime, that ends at once, with their reason.
    if (stopped.reason === SKIP_THINKING) {
      this.#spentBefore = estimateUsage(request, this.log.all());
      return this.#ask(target, { ...request, reasoning: { effort: "none" } });
    }
    return signal ?? truncatedSignal();
  }

  #generate(
    target: Target,
    request: GenerationRequest,
    signal: AbortSignal,
  ): AsyncIterable<readonly GenerationEvent[]> {
    const { rules } = this.#spec.settings;
    if (target.appliesRules) {
      const local: LlamaRequest = { ...request, rules: { ...rules, rules: [this.#sentenceEnd.rule] } };
      this.#current = target.engine.generate(local, signal);
      return oneByOne(this.#current);
    }
    this.#current = undefined;
    this.#canRestart = true;
    // Stop strings are looked for here, because providers take few of them and do not say which one it was.
    const { stop = [], ...others } = request;
    const answer = target.engine.generate({ ...others, streamUsage: true }, signal);
    const all = stop.length === 0 ? rules : { ...rules, stop: [...stop, ...[rules.stop ?? []].flat()] };
    const compiled = compileRules(all);
    const guard = defineGuard({ ...compiled, budgetRules: [this.#sentenceEnd.rule, ...compiled.budgetRules] });
    const stage = compose(REASONING_SPLITTER, guard);
    return answer.batches?.(stage) ?? oneByOne(runGeneration(answer, stage, { signal }));
  }

  /** Writes down what has come together, but for its start and its finish, which are this generation's own. */
  #write(events: readonly GenerationEvent[]): void {
    const isPlain = events.every(({ type }) => type !== "start" && type !== "finish" && type !== "usage");
    if (isPlain) this.log.appendAll(events);
    else
      this.log.appendAll(
        events.filter(({ type }) => type !== "start" && type !== "finish").map((event) => this.#sum(event)),
      );
  }

  #sum(event: GenerationEvent): GenerationEvent {
    const before = this.#spentBefore;
    const isSum = event.type === "usage" && before !== undefined;
    return isSum ? { ...event, usage: addUsage(before, event.usage) } : event;
  }

  /** Puts token counts before the end where the provider has not come to say them, because it was stopped or cut. */
  #countTokens({ reason }: TerminationSignal): void {
    const events = this.log.all();
    const known = events.findLast((event) => event.type === "usage")?.usage;
    const isCounted = known !== undefined && (this.#current !== undefined || !ENDED_EARLY.has(reason));
    if (events.length === 1 || isCounted) return;
    const usage = settleUsage(known, estimateUsage(this.#spec.request, events));
    if (usage !== known) this.log.append({ type: "usage", usage });
  }

  #hasAnswered(): boolean {
    return this.log.all().some(({ type }) => type !== "start" && type !== "reasoning" && type !== "usage");
  }
}

/** The events of a source that has no batches, each as one of its own. */
async function* oneByOne(events: AsyncIterable<GenerationEvent>): AsyncGenerator<readonly GenerationEvent[]> {
  for await (const event of events) yield [event];
}
