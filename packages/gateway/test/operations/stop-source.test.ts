import { cancelledSignal, createTerminationSignal } from "fullstop";
import type { TerminationReason } from "fullstop";
import { createGate, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import type { GenerationEnd, StopOrder } from "../../src/operations/observer.ts";
import { stopOf } from "../../src/operations/stop-source.ts";
import { hashOf, post, whenWriting } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const signalOf = (reason: TerminationReason, originalField: string) =>
  createTerminationSignal({ reason, originalField, originalValue: "" });

function endOf(signal: GenerationEnd["signal"], detail?: string): GenerationEnd {
  const order: StopOrder = { mode: "stop", detail: detail ?? "", phase: "answering", latencyMilliseconds: 1 };
  return {
    signal,
    events: [start(), reasoning("Hm"), { type: "finish", signal }],
    usage: undefined,
    asked: { provider: "p", model: "m" },
    failures: [],
    durationMilliseconds: 1,
    firstOutputMilliseconds: 1,
    order: detail === undefined ? undefined : order,
  };
}

describe("who stopped a generation", () => {
  it.each([
    ["a person", endOf(cancelledSignal("user"), "user"), { source: "user", phase: "answering" }],
    ["somebody with a word of their own", endOf(cancelledSignal("x"), "x"), { source: "other", phase: "answering" }],
    ["a stop string", endOf(signalOf("stop_sequence", "stop_string")), { source: "rule", phase: "thinking" }],
    ["a loop", endOf(signalOf("repetition_detected", "repetition")), { source: "rule", phase: "thinking" }],
    ["a time limit", endOf(signalOf("budget_exceeded", "max_milliseconds")), { source: "deadline", phase: "thinking" }],
    ["nobody: it was over before", endOf(signalOf("natural_completion", "finish_reason"), "user"), undefined],
    ["nobody: the request's own limit", endOf(signalOf("token_limit_reached", "max_tokens")), undefined],
    ["nobody here: the provider says so", endOf(signalOf("cancelled", "finish_reason")), undefined],
    ["nobody: it failed", endOf(signalOf("error_termination", "error")), undefined],
  ])("%s", (_, end, expected) => {
    expect(stopOf(end)).toEqual(expected);
  });
});

describe("a stop without a reason", async () => {
  const gateway = await openScripted({
    keys: [
      { name: "alice", sha256: hashOf("open-sesame-alice") },
      { name: "root", sha256: hashOf("open-sesame-root"), operator: true },
    ],
  });

  it.each([
    ["the user's, with the key that started it", "open-sesame-alice", {}, "user"],
    ["the operator's, with an operator's key", "open-sesame-root", {}, "operator"],
    ["what they say, if they say it", "open-sesame-root", { reason: "maintenance" }, "maintenance"],
  ])("is %s", async (_, key, order, detail) => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, finish()]);
    const body = { model: "openai-chat/m", messages: [{ role: "user", content: "Hi" }] };
    const answer = post(`${gateway.url}/v1/chat/completions`, body, { "x-api-key": "open-sesame-alice" });
    const { id } = await whenWriting(gateway);
    const receipt = await post(`${gateway.url}/v1/generations/${id}/stop`, order, { "x-api-key": key });
    expect(receipt.body).toMatchObject({ result: "stopped", signal: { reason: "cancelled", detail } });
    await answer;
    gate.open();
  });
});
