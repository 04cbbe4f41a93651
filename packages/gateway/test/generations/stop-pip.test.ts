import { describe, expect, it } from "vitest";
import { openGatewayForFile, post } from "../support/gateway.ts";

const gateway = await openGatewayForFile({ models: { pip: { local: "pip", sequences: 2, threads: 1 } } });

/** Starts an answer of Pip's, and waits until it has written so many events of a kind. */
async function startPip(prompt: string, kind: "reasoning" | "text", count: number, others: object = {}) {
  const body = { model: "pip", messages: [{ role: "user", content: prompt }], stream: true, ...others };
  const init = { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${gateway.url}/v1/chat/completions`, init);
  const id = response.headers.get("x-fullstop-generation-id")!;
  const { log } = gateway.house.generations.local(id)!;
  let seen = 0;
  for await (const batch of log.follow(0)) {
    seen += batch.filter(({ type }) => type === kind).length;
    if (seen >= count) break;
  }
  const stop = (order: object) => post(`${gateway.url}/v1/generations/${id}/stop`, order);
  return { response, stop, generation: gateway.house.generations.local(id)! };
}

describe("a stop of Pip", () => {
  it("ends its thinking in the same generation, and the answer follows", async () => {
    const { response, stop, generation } = await startPip("Now get stuck thinking about islands", "reasoning", 4, {
      max_completion_tokens: 300,
    });
    expect(await stop({ mode: "skip-thinking" })).toMatchObject({ status: 200, body: { result: "stopped" } });
    const body = await response.text();
    expect(generation.log.all().filter(({ type }) => type === "text").length).toBeGreaterThan(0);
    expect(generation.signal?.reason).not.toBe("cancelled");
    expect(body).toContain('"content":"');
    expect(body).not.toContain("</think>");
    expect(body).toContain('"skippedThinking":true');
    expect(generation.log.all()).toContainEqual({ type: "reasoning", text: "", skipped: true });
    expect(await stop({ mode: "skip-thinking" })).toMatchObject({ body: { result: "already_finished" } });
  });

  it("waits for the end of the line that it writes", async () => {
    const forever = { reasoning_effort: "none", fullstop: { ignoreEos: true } };
    const { response, stop, generation } = await startPip("Say hello forever", "text", 3, forever);
    const { body } = await stop({ mode: "finish-sentence", reason: "enough" });
    expect(body).toMatchObject({ result: "stopped", signal: { reason: "cancelled", detail: "enough" } });
    expect((body as { text: string }).text).toMatch(/\bhello[.!?]?\s*$/iu);
    expect(generation.signal).toMatchObject({ detail: "enough" });
    expect(await response.text()).toContain("[DONE]");
  });

  it("ends one of two that run at the same time, and not the other", async () => {
    const forever = { reasoning_effort: "none", fullstop: { ignoreEos: true } };
    const [one, other] = await Promise.all([
      startPip("Say hello forever", "text", 3, forever),
      startPip("Count from 1 to 50", "text", 3, { reasoning_effort: "none" }),
    ]);
    const { body } = await one.stop({ mode: "stop" });
    expect(body).toMatchObject({ result: "stopped", signal: { reason: "cancelled", detail: "user" } });
    expect((body as { usage: { outputTokens: number } }).usage.outputTokens).toBeGreaterThan(2);
    await Promise.all([one.response.text(), other.response.text()]);
    expect(other.generation.signal?.reason).toBe("natural_completion");
    expect(gateway.house.generations.live()).toEqual([]);
  });
});
