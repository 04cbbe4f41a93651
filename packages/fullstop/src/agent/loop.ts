import { sleep } from "../clock.ts";
import { decide } from "../decide/decide.ts";
import type { GenerationRequest, Message, ToolCallPart, ToolMessage } from "../request.ts";
import { failedSignal } from "../termination.ts";
import { AnswerCollector, textOf } from "./answer.ts";
import type { AgentAnswer } from "./answer.ts";
import { createCallWatch } from "./call-cycles.ts";
import type { CallWatch } from "./call-cycles.ts";
import { describeContext } from "./decision-context.ts";
import type { LoopEvent } from "./events.ts";
import { reachedLimit } from "./limits.ts";
import { nextStep } from "./next-step.ts";
import type { NextStep } from "./next-step.ts";
import { generate } from "./generate.ts";
import { OrderedHistory } from "./ordered-history.ts";
import { RunRecord } from "./record.ts";
import { repairMessages } from "./repair-history.ts";
import { cutDraft, defineAnswerStage } from "./replay-draft.ts";
import { composeRequest, messagesFor } from "./run-request.ts";
import type { AgentEnd } from "./result.ts";
import type { RunSetup } from "./run-setup.ts";
import { createRunState } from "./run-state.ts";
import type { RunState } from "./run-state.ts";
import { closeState, keepAnswer } from "./settle.ts";
import { judgeRound } from "./round-judge.ts";
import { NO_MORE_CALLS, errorResult, runCalls } from "./run-tools.ts";
import { userMessage } from "./steering.ts";
import type { QueuedMessage } from "./steering.ts";
import { ShownText } from "./shown-text.ts";

type Events<Result> = AsyncGenerator<LoopEvent, Result, undefined>;

/** Asks the model, decides, carries the decision out. What to do is decided by `decide` and `nextStep`, which are pure. */
export class AgentLoop {
  readonly #setup: RunSetup;
  readonly #record: RunRecord;
  readonly #watch: CallWatch;
  readonly #shown = new ShownText();
  readonly #history = new OrderedHistory();
  #state: RunState;
  /** An answer that came and was not decided on: it is kept where a rule or a wording of the caller's breaks on it. */
  #undecided: AgentAnswer | undefined;

  constructor(setup: RunSetup) {
    this.#setup = setup;
    this.#record = new RunRecord(setup);
    this.#watch = createCallWatch(setup.repetition);
    this.#state = createRunState(setup.request.messages);
  }

  /** Runs to the end. The last event is the end, and nothing is thrown because of a model, a tool or a rule. */
  async *run(): Events<void> {
    let outcome: AgentEnd | undefined;
    try {
      while (outcome === undefined) {
        outcome = this.#reason() ?? (yield* this.#turn());
        // Whoever wrote while the model was busy is heard before the run is over, unless it may not go on.
        const isWanted = this.#setup.queue.waiting().length > 0 && this.#reason() === undefined;
        if (isWanted && this.#record.isAnswered(outcome)) {
          this.#state = { ...this.#state, attempts: {}, hearsFollowUps: true };
          outcome = undefined;
        }
      }
    } catch (error) {
      if (this.#undecided !== undefined) this.#state = keepAnswer(this.#state, this.#undecided, this.#setup.settings);
      this.#record.addFailure(failedSignal(error));
      outcome = "failed";
    }
    yield* this.#end(outcome);
  }

  /** Why the model may not be asked any more, if it may not. */
  #reason(): AgentEnd | undefined {
    const { signal, limits } = this.#setup;
    return signal.aborted ? "stopped" : reachedLimit(limits, this.#record.spent());
  }

  /** One answer and what follows from it. Returns why the run is over, if it is. */
  async *#turn(): Events<AgentEnd | undefined> {
    const answer = yield* this.#generate();
    const { turns } = this.#record;
    yield { type: "signal", turn: turns, signal: answer.signal };
    const context = describeContext(answer, this.#state, this.#setup, this.#record);
    this.#undecided = answer;
    const decision = decide(answer.signal, context, this.#setup.policy);
    this.#record.addDecision(decision);
    yield { type: "decision", turn: turns, decision };
    const step = nextStep(this.#state, answer, decision, this.#setup.settings);
    this.#undecided = undefined;
    this.#state = step.state;
    if (step.type === "end") return step.end;
    if (step.type === "tools") return yield* this.#runTools(step);
    this.#shown.keep(step.keep);
    const missing = this.#shown.fill(textOf(step.state.draft));
    if (missing !== "") yield { type: "generation", turn: turns, event: { type: "text", text: missing } };
    if (step.nudge !== undefined) yield { type: "nudge", turn: turns, rule: step.nudge };
    if (step.waitMilliseconds > 0) {
      yield { type: "wait", turn: turns, milliseconds: step.waitMilliseconds };
      await sleep(this.#setup.clock, step.waitMilliseconds, this.#setup.signal);
    }
    return undefined;
  }

  async *#generate(): Events<AgentAnswer> {
    const { signal, engine, fallback, clock, current, settings } = this.#setup;
    const carried = messagesFor(this.#state, this.#setup.queue);
    const request = this.#request(carried.map(({ message }) => message));
    const turn = this.#record.startTurn();
    const isNewAnswer = this.#shown.begin();
    if (isNewAnswer) this.#record.beginAnswer(this.#state.messages.length);
    yield { type: "turn-start", turn, model: request.model, isNewAnswer };
    const collector = new AnswerCollector();
    const chosen = this.#state.model === "fallback" ? (fallback?.engine ?? engine) : engine;
    let repeatsEnd = false;
    const stage = defineAnswerStage(this.#state, this.#setup, {
      onNewVersion: (keep) => this.#shown.cut(keep),
      onRepeatedEnd: () => (repeatsEnd = true),
    });
    let isAsked = false;
    for await (const event of generate(chosen, request, { ...settings, stage, signal, clock, current })) {
      collector.push(event);
      // A run that was stopped before anything came has not asked anybody.
      if (!isAsked && !(event.type === "finish" && signal.aborted)) {
        isAsked = true;
        yield* this.#deliver(carried);
      }
      if (event.type === "finish") continue;
      const keep = event.type === "text" ? this.#shown.add(event.text) : undefined;
      if (keep !== undefined) {
        // What goes from the screen goes from the answer.
        this.#state = cutDraft(this.#state, keep);
        yield { type: "rewind", turn, keep };
      }
      yield { type: "generation", turn, event };
    }
    const answer = { ...collector.answer(), repeatsEnd };
    this.#record.addAnswer(answer, request);
    return answer;
  }

  #request(carried: readonly Message[]): GenerationRequest {
    const messages = this.#history.order(this.#state.messages);
    this.#state = { ...this.#state, messages };
    const said = carried.length === 0 ? this.#state : { ...this.#state, messages: messages.concat(carried) };
    return composeRequest(said, this.#setup, this.#record.spent().toolCalls > 0);
  }

  async *#runTools({ calls, refused }: Extract<NextStep, { type: "tools" }>): Events<AgentEnd | undefined> {
    const { limits, signal } = this.#setup;
    if (this.#record.spent().toolCalls + calls.length > (limits.maxToolCalls ?? Infinity)) {
      this.#say(...calls.map((call) => errorResult(call, NO_MORE_CALLS)), ...refused);
      return "tool_call_limit";
    }
    const results = yield* runCalls(calls, this.#record.turns, this.#setup);
    for (const [index, call] of calls.entries()) this.#record.addCall({ call, result: results[index]! });
    this.#say(...results, ...refused);
    return signal.aborted ? "stopped" : yield* this.#judge(calls, results);
  }

  /** An agent that repeats itself is told so once, and halted if it does not listen. */
  async *#judge(calls: readonly ToolCallPart[], results: readonly ToolMessage[]): Events<AgentEnd | undefined> {
    const verdict = judgeRound(this.#watch, calls, results);
    if (verdict === "halt") return "repeated_calls";
    if (verdict === "fine") return undefined;
    yield { type: "nudge", turn: this.#record.turns, rule: "repeated_calls" };
    this.#state = { ...this.#state, notes: [userMessage(this.#setup.settings.wording.repeatedCalls)] };
    return undefined;
  }

  async *#deliver(carried: readonly QueuedMessage[]): Events<void> {
    this.#setup.queue.remove(carried);
    this.#state = { ...this.#state, hearsFollowUps: false };
    for (const { id, mode, message } of carried) {
      this.#say(message);
      yield { type: "message-delivered", turn: this.#record.turns, id, mode };
    }
  }

  #say(...messages: readonly Message[]): void {
    // A long history that is spread is copied twice: once as it is, once to make room behind it.
    this.#state = { ...this.#state, messages: this.#state.messages.concat(messages) };
  }

  async *#end(reason: AgentEnd): Events<void> {
    const { signal, settings, queue } = this.#setup;
    const turn = this.#record.turns;
    const { end, detail } = this.#record.endOf(reason, signal);
    if (detail !== undefined) yield { type: "stop", turn, detail };
    const isInterrupted = detail !== undefined && this.#record.isInterrupted();
    const messages = repairMessages(closeState(this.#state).messages);
    queue.close();
    const note = isInterrupted ? [userMessage(settings.wording.interruption(detail))] : [];
    const result = this.#record.result(end, [...messages, ...note], queue.waiting());
    const { keep, rest } = this.#shown.settle(result.text);
    if (keep !== undefined) yield { type: "rewind", turn, keep };
    if (rest !== "") yield { type: "generation", turn, event: { type: "text", text: rest } };
    yield { type: "end", result };
  }
}
