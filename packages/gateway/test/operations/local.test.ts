import { describe, expect, it } from "vitest";
import { openGatewayForFile, post, whenWriting } from "../support/gateway.ts";
import { fetchSeries } from "../support/metrics.ts";

const gateway = await openGatewayForFile({ models: { pip: { local: "pip", sequences: 1, threads: 1 } } });

const FOREVER = {
  model: "pip",
  messages: [{ role: "user", content: "Say hello forever" }],
  reasoning_effort: "none",
  fullstop: { ignoreEos: true },
};

describe("the queue of a local model", () => {
  const state = async () => {
    const series = await fetchSeries(gateway.url);
    return {
      loaded: series.get('fullstop_local_model_loaded{model="pip"}'),
      running: series.get('fullstop_local_generations{model="pip",state="running"}'),
      waiting: series.get('fullstop_local_generations{model="pip",state="waiting"}'),
    };
  };

  it("is told: who runs, who waits, and whether the model is there", async () => {
    expect(await state()).toEqual({ loaded: 0, running: 0, waiting: 0 });
    const answers = [1, 2].map(() => post(`${gateway.url}/v1/chat/completions`, FOREVER));
    await whenWriting(gateway);
    let now = await state();
    while (now.waiting === 0) now = await state();
    expect(now).toEqual({ loaded: 1, running: 1, waiting: 1 });
    await gateway.house.generations.stopAll("user");
    await Promise.all(answers);
    expect(await state()).toMatchObject({ running: 0, waiting: 0 });
  });
});
