import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { askRaw } from "../support/raw.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({ models: { pip: { local: "pip", threads: 1 } } });

const ANSWER = [start(), text("Hello"), usage(9, 4), finish()];
const EPHEMERAL = { type: "ephemeral" };

/** What only one dialect has, and that an answer which is shown as text needs nothing else for. */
const OWN: Readonly<Record<Dialect, object>> = {
  "openai-chat": { service_tier: "flex", logit_bias: { 5: 1 }, chat_template_kwargs: { enable_thinking: false } },
  "openai-responses": { truncation: "auto", tools: [{ type: "web_search" }], include: ["web_search_call.results"] },
  "anthropic-messages": {
    system: [{ type: "text", text: "Be kind.", cache_control: EPHEMERAL }],
    tools: [{ type: "web_search_20250305", name: "web_search" }],
    messages: [
      {
        role: "user",
        content: [
          { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
          { type: "text", text: "What is this?", cache_control: EPHEMERAL },
        ],
      },
    ],
  },
  gemini: { safetySettings: [{ category: "C", threshold: "OFF" }], tools: [{ googleSearch: {} }] },
};

const BOTH_WAYS = DIALECTS.flatMap((dialect) => [true, false].map((stream) => ({ dialect, stream })));

describe.each(BOTH_WAYS)("what only $dialect has, stream: $stream", ({ dialect, stream }) => {
  it("reaches a provider that speaks it as it stood, without a warning", async () => {
    gateway.script(dialect, ANSWER);
    const { fullstop, text: body } = await askRaw(gateway.url, dialect, {
      model: `${dialect}/any-model`,
      stream,
      more: OWN[dialect],
    });
    expect(gateway.upstreams[dialect].requests.at(-1)?.body).toMatchObject(OWN[dialect]);
    expect(body).toContain("Hello");
    expect(fullstop).not.toHaveProperty("warnings");
  });

  it("is left out for any other provider, with a warning for each thing", async () => {
    for (const other of DIALECTS.filter((each) => each !== dialect)) {
      gateway.script(other, ANSWER);
      const model = `${other}/any-model`;
      const { fullstop, status } = await askRaw(gateway.url, dialect, { model, stream, more: OWN[dialect] });
      expect([other, status]).toEqual([other, 200]);
      expect(fullstop).toHaveProperty("warnings");
      const sent = JSON.stringify(gateway.upstreams[other].requests.at(-1)?.body);
      expect(sent).not.toMatch(/service_tier|logit_bias|web_search|cache_control|a\.pdf|safetySettings|googleSearch/u);
    }
  });
});

describe("the names of what Anthropic still tries out", () => {
  const ask = (model: string, betas: string) =>
    askRaw(gateway.url, "anthropic-messages", { model, stream: false, headers: { "anthropic-beta": betas } });

  it("reach Anthropic in their header", async () => {
    gateway.script("anthropic-messages", ANSWER);
    await ask("anthropic-messages/any-model", "context-1m-2025-08-07, mcp-client-2025-04-04");
    const headers = gateway.upstreams["anthropic-messages"].requests.at(-1)?.headers;
    expect(headers?.["anthropic-beta"]).toBe("context-1m-2025-08-07,mcp-client-2025-04-04");
  });

  it("reach nobody else", async () => {
    gateway.script("openai-chat", ANSWER);
    const { fullstop } = await ask("openai-chat/any-model", "context-1m-2025-08-07");
    expect(fullstop).toMatchObject({ warnings: [{ field: "betas" }] });
    expect(gateway.upstreams["openai-chat"].requests.at(-1)?.headers).not.toHaveProperty("anthropic-beta");
  });
});

it("what asks for other models than the one that is named is not handed on, because a key may not be for them", async () => {
  gateway.script("openai-chat", ANSWER);
  const more = { models: ["dear/model"], preset: "@preset/dear", transforms: ["middle-out"] };
  const { fullstop } = await askRaw(gateway.url, "openai-chat", { model: "openai-chat/cheap", stream: true, more });
  const sent = gateway.upstreams["openai-chat"].requests.at(-1)?.body;
  expect(sent).toMatchObject({ model: "cheap", transforms: ["middle-out"] });
  expect(sent).not.toHaveProperty("models");
  expect(sent).not.toHaveProperty("preset");
  expect(fullstop).toMatchObject({ warnings: [{ field: "models" }, { field: "preset" }] });
});

it("a model on this machine leaves all of it out, with warnings", async () => {
  const more = { service_tier: "flex", max_tokens: 5 };
  const { fullstop, status } = await askRaw(gateway.url, "openai-chat", { model: "pip", stream: false, more });
  expect(status).toBe(200);
  expect(fullstop).toMatchObject({
    warnings: [{ field: "service_tier", message: "Only the dialect openai-chat has this; it was left out." }],
  });
});
