import { describe, expect, it } from "vitest";
import { createTerminationReport, decide, formatTerminationReport } from "../../src/decide/index.ts";
import type { TerminationDecision, TerminationExecution, TerminationReport } from "../../src/decide/index.ts";
import { cancelledSignal, createTerminationSignal, truncatedSignal } from "../../src/termination.ts";
import type { TerminationSignal } from "../../src/termination.ts";
import { contextOf } from "./contexts.ts";

const natural = createTerminationSignal({
  reason: "natural_completion",
  originalField: "finish_reason",
  originalValue: "stop",
  message: "The model finished its answer",
});

const tools = decide(natural, contextOf({ answer: { completeCalls: 1 } }));
const retry = decide(truncatedSignal(), contextOf());
const accepted = decide(natural, contextOf({ answer: { hasText: true } }));
const exhausted = decide(truncatedSignal(), contextOf({ attempts: { retry: 2 } }));

const execution: TerminationExecution = {
  turns: 4,
  durationMilliseconds: 4250,
  decisions: [tools, retry, tools, accepted],
  usage: { inputTokens: 1200, outputTokens: 340, estimated: true },
  model: "model-1",
  provider: "somebody",
};

describe("a report", () => {
  it("says why a run ended and what it took", () => {
    expect(createTerminationReport(natural, execution)).toEqual({
      reason: "natural_completion",
      confidence: "high",
      originalField: "finish_reason",
      originalValue: "stop",
      model: "model-1",
      provider: "somebody",
      turns: 4,
      durationMilliseconds: 4250,
      usage: { inputTokens: 1200, outputTokens: 340, estimated: true },
      actions: { run_tools: 2, retry: 1 },
      decisions: [
        { action: "run_tools", rule: "calls_pending" },
        { action: "retry", rule: "interrupted" },
        { action: "run_tools", rule: "calls_pending" },
        { action: "stop", rule: "answer_complete" },
      ],
      summary: "The model finished its answer. It took 4 turns and 4.3 s, with 2 rounds of tools, 1 retry.",
    });
  });

  it("names the bound at which a run ended", () => {
    const decisions = [retry, retry, exhausted];
    const report = createTerminationReport(truncatedSignal(), { turns: 3, durationMilliseconds: 90, decisions });
    expect(report.boundReached).toEqual({ wanted: "retry", boundOn: "retry", bound: 2, taken: 2 });
    expect(report.summary).toBe(
      "The answer ended in an error (truncated). No more was tried because of the bound of 2 on retry, after 3 turns and 90 ms, with 2 retries.",
    );
  });

  it("is for people too when little is known", () => {
    const report = createTerminationReport(cancelledSignal("new_message"), {
      turns: 1,
      durationMilliseconds: 0,
      decisions: [],
    });
    expect(report.summary).toBe("The generation was stopped (new_message). It took 1 turn and 0 ms.");
  });

  it("can be put into lines", () => {
    expect(formatTerminationReport(createTerminationReport(natural, execution)).split("\n")).toEqual([
      "The model finished its answer. It took 4 turns and 4.3 s, with 2 rounds of tools, 1 retry.",
      "ended     natural_completion, high confidence",
      "source    finish_reason = stop",
      "model     model-1 at somebody",
      "effort    4 turns and 4.3 s",
      "tokens    1200 in, 340 out (estimated)",
      "actions   2 rounds of tools, 1 retry",
      "decisions run_tools (calls_pending), retry (interrupted), run_tools (calls_pending), stop (answer_complete)",
    ]);
  });

  it("has a line for the bound and none for what is not known", () => {
    const report = createTerminationReport(truncatedSignal(), {
      turns: 1,
      durationMilliseconds: 20,
      decisions: [exhausted],
    });
    expect(formatTerminationReport(report).split("\n").slice(1)).toEqual([
      "ended     error_termination (truncated), high confidence",
      "source    end_of_input",
      "effort    1 turn and 20 ms",
      "decisions stop (bound_reached)",
      "bound     2 on retry, 2 taken, retry wanted",
    ]);
  });
});

describe("a report holds nothing that somebody wrote", () => {
  const SECRET = "my sister's diagnosis";

  const signals: readonly TerminationSignal[] = [
    createTerminationSignal({
      reason: "repetition_detected",
      originalField: "repetition",
      originalValue: "diagnosis",
      message: `Repetition detected: "${SECRET}" repeated 4 times`,
      metadata: { pattern: SECRET },
    }),
    createTerminationSignal({
      reason: "stop_sequence",
      originalField: "stop",
      originalValue: "diagnosis",
      stopSequence: "diagnosis",
    }),
    createTerminationSignal({
      reason: "error_termination",
      detail: SECRET,
      originalField: SECRET,
      originalValue: SECRET,
      message: SECRET,
    }),
  ];

  const noted: TerminationDecision = {
    shouldContinue: false,
    suggestedAction: "stop",
    reason: SECRET,
    metadata: { rule: SECRET, wanted: SECRET, boundOn: SECRET, bound: 1, taken: 1, text: SECRET },
  };

  it.each(signals)("after $reason", (signal) => {
    const usage = { inputTokens: 1, outputTokens: 1, prompt: SECRET };
    const run = { turns: 1, durationMilliseconds: 1, decisions: [noted], usage, model: SECRET, provider: SECRET };
    const report: TerminationReport = createTerminationReport(signal, run);
    const everything = `${JSON.stringify(report)}\n${formatTerminationReport(report)}`;
    expect(everything).not.toMatch(/sister|diagnosis/u);
  });

  it("and no key", () => {
    const report = createTerminationReport(natural, { ...execution, model: "sk-0123456789" });
    expect(JSON.stringify(report)).not.toContain("sk-");
  });
});

describe("bad input is refused at the door, with the value quoted", () => {
  it.each([
    { run: null, message: "execution must be an object, got null" },
    { run: { ...execution, time: 5 }, message: 'got "time"' },
    { run: { ...execution, turns: 1.5 }, message: "execution turns must be a whole number of at least 0, got 1.5" },
    { run: { ...execution, durationMilliseconds: undefined }, message: "execution durationMilliseconds" },
    { run: { ...execution, decisions: "stop" }, message: 'execution decisions must be a list, got "stop"' },
    { run: { ...execution, decisions: [{}] }, message: "execution decisions must hold decisions, got {}" },
    { run: { ...execution, usage: 5 }, message: "execution usage must be an object, got 5" },
    { run: { ...execution, usage: { inputTokens: 1 } }, message: "execution usage outputTokens must be a number" },
    {
      run: { ...execution, usage: { inputTokens: 1, outputTokens: 1, reasoningTokens: "9" } },
      message: 'execution usage reasoningTokens must be a number of at least 0, got "9"',
    },
  ])("$message", ({ run, message }) => {
    expect(() => createTerminationReport(natural, run as TerminationExecution)).toThrow(message);
  });

  it("a signal that is none", () => {
    expect(() => createTerminationReport("stop" as unknown as TerminationSignal, execution)).toThrow(
      'signal must be a termination signal, got "stop"',
    );
  });
});
