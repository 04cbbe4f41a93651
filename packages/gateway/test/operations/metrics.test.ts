import { call, createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import { Counter } from "prom-client";
import { describe, expect, it } from "vitest";
import { chatClient } from "../support/clients/chat.ts";
import { openGatewayForFile, post, whenWriting } from "../support/gateway.ts";
import { fetchMetrics, fetchSeries } from "../support/metrics.ts";
import type { Series } from "../support/metrics.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({
  models: {
    small: { provider: "openai-chat", model: "some-model" },
    safe: { provider: "gemini", model: "some-model" },
  },
  aliases: { quick: "small" },
  fallbacks: { safe: ["small"] },
});
const ask = chatClient(gateway.url);
const HELLO = [start(), text("Hello"), usage(9, 4), finish()];
gateway.script("openai-chat", HELLO);

/** What has grown while something was done, and by how much. */
async function growth(act: () => Promise<unknown>): Promise<Series> {
  const before = await fetchSeries(gateway.url);
  await act();
  const after = [...(await fetchSeries(gateway.url))].map(
    ([name, value]) => [name, value - (before.get(name) ?? 0)] as const,
  );
  return new Map(after.filter(([, more]) => more > 0));
}

describe("the metrics of generations", () => {
  it("count them by model, reason and detail, with their tokens and times", async () => {
    const series = await growth(() => ask({ model: "small", stream: true }));
    const expected = {
      'fullstop_generations_total{model="small",reason="natural_completion",detail="none"}': 1,
      'fullstop_tokens_total{model="small",direction="input",estimated="false"}': 9,
      'fullstop_tokens_total{model="small",direction="output",estimated="false"}': 4,
      'fullstop_generation_duration_seconds_count{model="small"}': 1,
      'fullstop_time_to_first_output_seconds_count{model="small"}': 1,
    };
    expect(Object.fromEntries(series)).toMatchObject(expected);
    expect([...series.keys()].some((name) => name.startsWith("fullstop_stops_total"))).toBe(false);
  });

  it.each([
    ["a model by its name", "small", "small"],
    ["an alias by its own", "quick", "quick"],
    ["what a caller makes up as any model of the provider", "openai-chat/made-up-1", "openai-chat/*"],
    ["what a caller makes up next as the same", "openai-chat/made-up-2", "openai-chat/*"],
  ])("name %s", async (_, model, label) => {
    const series = await growth(() => ask({ model, stream: false }));
    expect(series.get(`fullstop_generations_total{model="${label}",reason="natural_completion",detail="none"}`)).toBe(
      1,
    );
    expect([...series.keys()].join("\n")).not.toContain("made-up");
  });

  it("tell how many run", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, finish()]);
    const answer = ask({ model: "small", stream: true });
    await whenWriting(gateway);
    const live = async () => (await fetchSeries(gateway.url)).get('fullstop_generations_live{model="small"}');
    expect(await live()).toBe(1);
    gate.open();
    await answer;
    expect(await live()).toBe(0);
    gateway.script("openai-chat", HELLO);
  });

  it("count every provider that failed, also where another model made up for it", async () => {
    gateway.script("gemini", { status: 500, body: { error: { message: "private" } } });
    const series = await growth(() => ask({ model: "safe", stream: false }));
    expect(series.get('fullstop_upstream_errors_total{provider="gemini",detail="server_error"}')).toBe(1);
    expect(series.get('fullstop_generations_total{model="safe",reason="natural_completion",detail="none"}')).toBe(1);
  });

  it("count requests that were refused, by kind", async () => {
    const series = await growth(async () => {
      await post(`${gateway.url}/v1/chat/completions`, { model: "small" });
      await post(`${gateway.url}/v1/chat/completions`, { model: "large", messages: [{ role: "user", content: "Hi" }] });
      await fetch(`${gateway.url}/nowhere`);
    });
    expect(series.get('fullstop_requests_refused_total{kind="invalid_request"}')).toBe(1);
    expect(series.get('fullstop_requests_refused_total{kind="not_found"}')).toBe(2);
  });
});

describe("the metrics of stops", () => {
  const events = [
    ["waiting", []],
    ["thinking", [reasoning("Hm")]],
    ["answering", [reasoning("Hm"), text("Hello")]],
    ["calling", [text("Hello"), ...call("a", "look", {}).slice(0, -1)]],
  ] as const;

  it.each(events)("say that it was %s", async (phase, before) => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), ...before, gate.pass, finish()]);
    const series = await growth(async () => {
      const answer = ask({ model: "small", stream: false, think: true, maxTokens: 1000 });
      await gate.reached;
      const [generation] = gateway.house.generations.live();
      while (generation!.log.length <= before.length) await new Promise((resolve) => setImmediate(resolve));
      await post(`${gateway.url}/v1/generations/${generation!.id}/stop`, {});
      await answer;
    });
    expect(series.get(`fullstop_stops_total{source="user",phase="${phase}"}`)).toBe(1);
    expect(series.get('fullstop_stop_latency_seconds_count{mode="stop"}')).toBe(1);
    // Of what was stopped before its first word, nobody counts any tokens: all of them were saved.
    const used = series.get('fullstop_tokens_total{model="small",direction="output",estimated="true"}') ?? 0;
    expect(series.get('fullstop_tokens_saved_total{source="user"}')).toBe(1000 - used);
    expect(series.get('fullstop_generations_total{model="small",reason="cancelled",detail="user"}')).toBe(1);
    gate.open();
    gateway.script("openai-chat", HELLO);
  });

  it.each([
    ["new_message", "new_message"],
    ["operator", "operator"],
    ["whatever-1", "other"],
    ["whatever-2", "other"],
  ])("count %s as %s", async (reason, source) => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, finish()]);
    const series = await growth(async () => {
      const answer = ask({ model: "small", stream: false });
      const { id } = await whenWriting(gateway);
      await post(`${gateway.url}/v1/generations/${id}/stop`, { reason });
      await answer;
    });
    expect(series.get(`fullstop_stops_total{source="${source}",phase="answering"}`)).toBe(1);
    expect(series.get(`fullstop_generations_total{model="small",reason="cancelled",detail="${source}"}`)).toBe(1);
    expect([...series.keys()].join("\n")).not.toContain("whatever");
    gate.open();
    gateway.script("openai-chat", HELLO);
  });

  it("say how long a stop at the end of a sentence took apart from the others", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, text(" there."), text(" And"), finish()]);
    const series = await growth(async () => {
      const answer = ask({ model: "small", stream: true });
      const generation = await whenWriting(gateway);
      await generation.carryOut({ mode: "finish-sentence", reason: "user" });
      gate.open();
      await answer;
    });
    expect(series.get('fullstop_stops_total{source="user",phase="answering"}')).toBe(1);
    expect(series.get('fullstop_stop_latency_seconds_count{mode="finish-sentence"}')).toBe(1);
    expect(series.has('fullstop_stop_latency_seconds_count{mode="stop"}')).toBe(false);
    gateway.script("openai-chat", HELLO);
  });

  it("count a reader that leaves", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, finish()]);
    const series = await growth(async () => {
      const leave = new AbortController();
      const answer = ask({ model: "small", stream: true, signal: leave.signal }).catch(() => undefined);
      const generation = await whenWriting(gateway);
      leave.abort();
      await generation.ended;
      await answer;
    });
    expect(series.get('fullstop_stops_total{source="disconnect",phase="answering"}')).toBe(1);
    gate.open();
    gateway.script("openai-chat", HELLO);
  });

  it("count rules, and what they saved of the request's limit at most", async () => {
    gateway.script("openai-chat", [start(), text("One two"), text(" END three"), finish()]);
    const stopped = { model: "small", stream: true, stop: [" END"] };
    const limited = await growth(() => ask({ ...stopped, maxTokens: 1000 }));
    expect(limited.get('fullstop_stops_total{source="rule",phase="answering"}')).toBe(1);
    const used = limited.get('fullstop_tokens_total{model="small",direction="output",estimated="true"}')!;
    expect(limited.get('fullstop_tokens_saved_total{source="rule"}')).toBe(1000 - used);
    const unlimited = await growth(() => ask(stopped));
    expect(unlimited.get('fullstop_stops_total{source="rule",phase="answering"}')).toBe(1);
    expect(unlimited.has('fullstop_tokens_saved_total{source="rule"}')).toBe(false);
    gateway.script("openai-chat", HELLO);
  });

  it("count a time limit", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("One"), gate.pass, text("two"), finish()]);
    const fullstop = { maxMilliseconds: 1000 };
    const series = await growth(() => ask({ model: "small", stream: true, fullstop }));
    expect(series.get('fullstop_stops_total{source="deadline",phase="answering"}')).toBe(1);
    gate.open();
    gateway.script("openai-chat", HELLO);
  });

  it("measure how long text was held back, and only where it was", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("A #"), gate.pass, text("1"), finish()]);
    const series = await growth(async () => {
      const answer = ask({ model: "small", stream: true, stop: ["##"] });
      await whenWriting(gateway);
      gate.open();
      await answer;
    });
    expect(series.get("fullstop_hold_back_seconds_count")).toBe(1);
    gateway.script("openai-chat", HELLO);
    const none = await growth(() => ask({ model: "small", stream: true, stop: ["##"] }));
    expect(none.has("fullstop_hold_back_seconds_count")).toBe(false);
  });
});

describe("the page of metrics", () => {
  it("is in Prometheus' format, with a sentence for every family", async () => {
    const response = await fetch(`${gateway.url}/metrics`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const page = await response.text();
    const types = page.match(/^# TYPE fullstop_/gmu);
    expect(page.match(/^# HELP fullstop_\S+ .{20,}\.$/gmu)).toHaveLength(types!.length);
  });

  it("takes in what others count, and nothing from other servers", async () => {
    const other = await openGatewayForFile();
    const counter = new Counter({
      name: "bot_things_total",
      help: "Things.",
      registers: [other.house.operations.metrics.registry],
    });
    counter.inc(3);
    expect(await fetchMetrics(other.url)).toContain("bot_things_total 3");
    expect(await fetchMetrics(gateway.url)).not.toContain("bot_things_total");
    expect(await fetchMetrics(other.url)).not.toMatch(/^fullstop_generations_total\{/mu);
  });
});
