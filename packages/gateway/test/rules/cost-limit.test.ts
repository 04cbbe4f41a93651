import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import { bodyOf, pathOf } from "../support/small-requests.ts";

/** One for each token. */
const ONE = 1_000_000;
const place = { provider: "openai-chat", model: "some-model" };

const gateway = await openScripted({
  models: {
    plain: place,
    output: { ...place, prices: { perMillionInputTokens: 0, perMillionOutputTokens: ONE } },
    both: { ...place, prices: { perMillionInputTokens: ONE, perMillionOutputTokens: ONE } },
    cheap: { ...place, prices: { perMillionInputTokens: 0, perMillionOutputTokens: ONE / 2 } },
    limited: { ...place, prices: { perMillionInputTokens: 0, perMillionOutputTokens: ONE }, defaults: { maxCost: 4 } },
    long: {
      ...place,
      provider: "anthropic-messages",
      prices: { perMillionInputTokens: 0, perMillionOutputTokens: ONE },
    },
    unpriced: { ...place, defaults: { maxCost: 1 } },
    failing: { provider: "gemini", model: "m", prices: { perMillionInputTokens: 0, perMillionOutputTokens: ONE } },
  },
  fallbacks: { failing: ["cheap"], output: ["plain"] },
});
gateway.script("anthropic-messages", [start(), text("Twenty characters, 5"), text(" and more"), finish()]);
gateway.script("openai-chat", [start(), ..."0123456789".split("").map(text), usage(1, 10), finish()]);
gateway.script("gemini", { status: 500 });

interface Told {
  readonly choices?: readonly [{ readonly message: { readonly content: string } }];
  readonly fullstop?: { readonly detail?: string; readonly providerSpecific: { readonly originalValue: string } };
  readonly error?: { readonly message: string };
}

async function ask(model: string, fullstop?: object) {
  const body = { ...bodyOf("openai-chat", model), ...(fullstop && { fullstop }) };
  const { status, body: told } = await post(`${gateway.url}${pathOf("openai-chat", model)}`, body);
  return { status, ...(told as Told) };
}

describe("a limit on the cost of an answer", () => {
  it.each([
    { model: "both", maxCost: 4, content: "012", why: "the request costs one of the four" },
    { model: "both", maxCost: { amount: 4 }, content: "012", why: "an amount alone is the same" },
    { model: "both", maxCost: { amount: 4, perToken: 2 }, content: "01", why: "a price of the caller's own counts" },
    { model: "plain", maxCost: { amount: 4, perToken: 2 }, content: "01", why: "which needs no other" },
    { model: "cheap", maxCost: 2, content: "0123", why: "the prices are those of the model" },
    { model: "failing", maxCost: 2, content: "0123", why: "and of the one that answers instead" },
    { model: "limited", maxCost: undefined, content: "0123", why: "defaults have it" },
    { model: "limited", maxCost: 2, content: "01", why: "a request counts more than defaults" },
    { model: "limited", maxCost: { amount: 9, perToken: 3 }, content: "012", why: "also with another price" },
  ])("of $model at $maxCost ends it after $content: $why", async ({ model, maxCost, content }) => {
    const { choices, fullstop } = await ask(model, { maxCost });
    expect(choices?.[0].message.content).toBe(content);
    expect(fullstop).toMatchObject({ reason: "budget_exceeded", detail: "cost" });
  });

  it("counts pieces that are long by their length", async () => {
    expect((await ask("long", { maxCost: 5 })).choices?.[0].message.content).toBe("Twenty characters, 5");
    expect((await ask("long", { maxCost: 8 })).choices?.[0].message.content).toBe("Twenty characters, 5 and more");
  });

  it("from the defaults holds where there are prices, and refuses nothing", async () => {
    const { status, choices } = await ask("unpriced");
    expect([status, choices?.[0].message.content]).toEqual([200, "0123456789"]);
  });

  it("is never reached by a model that costs nothing", async () => {
    const { status, fullstop } = await ask("pip", { maxCost: 0, maxCharacters: 3 });
    expect([status, fullstop?.detail]).toEqual([200, "characters"]);
  });

  it.each(["plain", "openai-chat/any-model", "output"])(
    "of %s, or of one to ask instead, is refused without prices, and says what to do",
    async (model) => {
      const { status, error } = await ask(model, { maxCost: 1 });
      expect(status).toBe(400);
      expect(error?.message).toMatch(/maxCost: the model ".*" or one to ask instead has no prices; .*perToken/u);
    },
  );

  it.each([-1, "much", { amount: -1 }, { amount: 1, perTokn: 2 }, { perToken: 2 }, {}])(
    "is refused if it is %j",
    async (maxCost) => {
      const { status, error } = await ask("both", { maxCost });
      expect(status).toBe(400);
      expect(error?.message).toMatch(/maxCost/u);
    },
  );
});
