import { sleep } from "../clock.ts";
import { decide } from "../decide/decide.ts";
import type { TerminationDecision } from "../decide/decision.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest, Message, ToolCallPart, ToolMessage } from "../request.ts";
import { runGeneration } from "../seal.ts";
import { compose } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { AnswerCollector, textOf } from "./answer.ts";
import type { AgentAnswer } from "./answer.ts";
import { createCallWatch } from "./call-cycles.ts";
import type { CallWatch } from "./call-cycles.ts";
import { describeContext } from "./decision-context.ts";
import type { AgentEvent, ViewerMode } from "./events.ts";
import { reachedLimit } from "./limits.ts";
import { createRunState, nextStep } from "./next-step.ts";
import type { NextStep, RunState } from "./next-step.ts";
import { defineOverlapTrimmer } from "./overlap-trimmer.ts";
import { RunRecord } from "./record.ts";
import { repairHistory } from "./repair-history.ts";
import type { AgentEnd } from "./result.ts";
import type { RunSetup } from "./run-setup.ts";
import { resultText, runCalls } from "./run-tools.ts";
import { userMessage } from "./steering.ts";

type Events<Result> = AsyncGenerator<AgentEvent, Result, undefined>;

/**
 * The loop: asks the model, decides, carries the decision out, until there is nothing more to do. What to do is decided
 * elsewhere, by `decide` and `nextStep`, which are pure; here things happen.
 */
export class AgentLoop {
  readonly #setup: RunSetup;
  readonly #record: RunRecord;
  readonly #watch: CallWatch;
  #state: RunState;
  #viewer: ViewerMode = "new";
  /** How many of the messages have been sent, and so are known to be in order. */
  #repaired = 0;

  constructor(setup: RunSetup) {
    this.#setup = setup;
    this.#record = new RunRecord(setup.clock);
    this.#watch = createCallWatch(setup.repetition);
    this.#state = createRunState(setup.request.messages);
  }

  /** Runs to the end. The last event is the end, and nothing is thrown because of a model or a tool. */
  async *run(): Events<void> {
    const { queue, signal, limits } = this.#setup;
    for (;;) {
      const end = signal.aborted ? "stopped" : reachedLimit(limits, this.#record.spent());
      const outcome = end ?? (yield* this.#turn());
      if (outcome === undefined) continue;
      // Whoever wrote while the model was busy is heard before the run is over, unless it was stopped or gave up.
      const waiting = outcome === "completed" ? [...queue.take("steer"), ...queue.take("follow-up")] : [];
      if (waiting.length === 0) {
        yield* this.#end(outcome);
        return;
      }
      yield* this.#deliver(waiting);
      this.#state = { ...this.#state, attempts: {} };
    }
  }

  /** One answer and what follows from it. Returns why the run is over, if it is. */
  async *#turn(): Events<AgentEnd | undefined> {
    const answer = yield* this.#generate();
    const { turns } = this.#record;
    yield { type: "signal", turn: turns, signal: answer.signal };
    const decision = this.#decide(answer);
    this.#record.addDecision(decision);
    yield { type: "decision", turn: turns, decision };
    const step = nextStep(this.#state, answer, decision, this.#setup.settings);
    this.#state = step.state;
    if (step.type === "end") return step.end;
    if (step.type === "tools") return yield* this.#runTools(step);
    this.#viewer = step.viewer;
    if (step.nudge !== undefined) yield { type: "nudge", turn: turns, rule: step.nudge };
    if (step.waitMilliseconds > 0) yield* this.#wait(step.waitMilliseconds);
    return undefined;
  }

  async *#generate(): Events<AgentAnswer> {
    const { signal, engine, fallback, stage } = this.#setup;
    const request = this.#request();
    const turn = this.#record.startTurn();
    yield { type: "turn-start", turn, model: request.model, viewer: this.#viewer };
    const collector = new AnswerCollector();
    const chosen = this.#state.model === "fallback" ? (fallback?.engine ?? engine) : engine;
    // The engine is called inside the iteration, so that one that throws at once fails like one that throws later.
    async function* source(): AsyncGenerator<GenerationEvent> {
      yield* chosen.generate(request, signal);
    }
    for await (const event of runGeneration(source(), this.#stageOf(stage), { signal })) {
      collector.push(event);
      if (event.type !== "finish") yield { type: "generation", turn, event };
    }
    this.#viewer = "new";
    const answer = collector.answer();
    this.#record.addAnswer(answer, request);
    return answer;
  }

  /** The rest of an answer often begins with the end of what came before; that is not shown twice. */
  #stageOf(stage: Stage<GenerationEvent, GenerationEvent>): Stage<GenerationEvent, GenerationEvent> {
    const before = textOf(this.#state.draft);
    return before === "" ? stage : compose(defineOverlapTrimmer(before), stage);
  }

  #request(): GenerationRequest {
    const { request, fallback, tools } = this.#setup;
    const { messages, notes, maxOutputTokens, model } = this.#state;
    const definitions = [...tools.values()].map(({ definition }) => definition);
    // What was sent before is in order; only what has come since can need repair.
    const known = messages.slice(0, this.#repaired);
    const recent = repairHistory(messages.slice(this.#repaired));
    this.#repaired = known.length + recent.length;
    this.#state = { ...this.#state, messages: [...known, ...recent] };
    return {
      ...request,
      messages: [...this.#state.messages, ...repairHistory(notes)],
      ...(definitions.length > 0 && { tools: definitions }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(model === "fallback" && fallback !== undefined && { model: fallback.model }),
    };
  }

  #decide(answer: AgentAnswer): TerminationDecision {
    const { policy } = this.#setup;
    return decide(answer.signal, describeContext(answer, this.#state, this.#setup, this.#record), policy);
  }

  async *#runTools({ calls, refused }: Extract<NextStep, { type: "tools" }>): Events<AgentEnd | undefined> {
    const { limits, signal } = this.#setup;
    const { maxToolCalls = Infinity } = limits;
    if (this.#record.spent().toolCalls + calls.length > maxToolCalls) return "tool_call_limit";
    const results = yield* runCalls(calls, this.#record.turns, this.#setup);
    for (const [index, call] of calls.entries()) this.#record.addCall({ call, result: results[index]! });
    this.#say(...results, ...refused);
    if (signal.aborted) return "stopped";
    yield* this.#deliver(this.#setup.queue.take("steer"));
    return yield* this.#judge(calls, results);
  }

  /** An agent that repeats itself is told so once, and halted if it does not listen. */
  async *#judge(calls: readonly ToolCallPart[], results: readonly ToolMessage[]): Events<AgentEnd | undefined> {
    const { wording } = this.#setup.settings;
    for (const [index, { name, json }] of calls.entries()) {
      const verdict = this.#watch.add({ name, json, result: resultText(results[index]!) });
      if (verdict === "halt") return "repeated_calls";
      if (verdict !== "nudge") continue;
      yield { type: "nudge", turn: this.#record.turns, rule: "repeated_calls" };
      this.#state = { ...this.#state, notes: [userMessage(wording.repeatedCalls)] };
    }
    return undefined;
  }

  async *#wait(milliseconds: number): Events<void> {
    yield { type: "wait", turn: this.#record.turns, milliseconds };
    await sleep(this.#setup.clock, milliseconds, this.#setup.signal);
  }

  async *#deliver(messages: ReturnType<RunSetup["queue"]["take"]>): Events<void> {
    for (const { id, mode, message } of messages) {
      this.#say(message);
      yield { type: "message-delivered", turn: this.#record.turns, id, mode };
    }
  }

  #say(...messages: readonly Message[]): void {
    this.#state = { ...this.#state, messages: [...this.#state.messages, ...messages] };
  }

  async *#end(reason: AgentEnd): Events<void> {
    const { signal, settings, queue } = this.#setup;
    const end = signal.aborted && signal.reason === "deadline" ? "time_limit" : reason;
    if (end === "stopped") {
      yield { type: "stop", turn: this.#record.turns, detail: String(signal.reason ?? "user") };
      this.#say(userMessage(settings.wording.interruption));
    }
    const messages = repairHistory(this.#state.messages);
    yield { type: "end", result: this.#record.result(end, messages, queue.waiting()) };
  }
}
