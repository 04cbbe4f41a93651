import { costSignal } from "fullstop";
import type { GenerationRequest, StopRule, Usage } from "fullstop";
import { CHARACTERS_PER_TOKEN, estimateInputTokens } from "fullstop/engines";
import { LOCAL_PROVIDER } from "../models/model-router.ts";
import type { AskedModel } from "../models/model-router.ts";
import { FREE, costOf } from "../models/prices.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";

/** A limit on what an answer costs by the prices of the model that is asked, if `maxCost` is one: an amount alone. */
export function pricedAmountOf(maxCost: unknown): number | undefined {
  const isAlone =
    typeof maxCost === "object" && maxCost !== null && "amount" in maxCost && Object.keys(maxCost).length === 1;
  const amount = isAlone ? maxCost.amount : maxCost;
  if (typeof amount === "number" && amount >= 0 && amount < Infinity) return amount;
  if (typeof amount !== "number" && !isAlone) return undefined;
  throw new RequestError("invalid_request", `fullstop: maxCost must be at least 0, got ${quoteValue(amount)}`, {
    param: "fullstop",
  });
}

/**
 * Refuses a limit on the cost of models of which nobody has said what they cost. One that the caller knows nothing of,
 * from the defaults, holds where there are prices.
 */
export function checkCostLimit(maxCost: number | undefined, model: string, targets: readonly AskedModel[]): void {
  if (maxCost === undefined || targets.every(hasPrices)) return;
  throw new RequestError(
    "invalid_request",
    `fullstop.maxCost: the model ${quoteValue(model)} or one to ask instead has no prices; say what a token costs ` +
      '({"amount": 0.05, "perToken": 0.00001}), or have its prices put into the configuration',
    { param: "fullstop" },
  );
}

/** What callers pay with keys of their own costs the gateway nothing, which is no price that it could go by. */
function hasPrices({ prices, provider }: AskedModel): boolean {
  return prices !== undefined && (prices !== FREE || provider === LOCAL_PROVIDER);
}

/**
 * Ends an answer as soon as the request and what came so far have cost `maxCost`. The tokens of the request are an
 * estimate: providers tell them at the end, if at all. What was spent on answers that were given up for this one counts.
 */
export function costRules(
  maxCost: number | undefined,
  { prices = FREE }: AskedModel,
  request: GenerationRequest,
  before: Usage | undefined,
): readonly StopRule[] {
  if (maxCost === undefined) return [];
  const inputTokens = estimateInputTokens(request) + (before?.inputTokens ?? 0);
  const outputBefore = before?.outputTokens ?? 0;
  const reached = costSignal(maxCost);
  const isReached = (outputTokens: number): boolean => {
    const cost = costOf({ inputTokens, outputTokens: outputBefore + outputTokens }, prices);
    // What costs nothing never reaches a limit, not even one of nothing.
    return cost > 0 && cost >= maxCost;
  };
  const start = (): ReturnType<StopRule["start"]> => {
    let characters = 0;
    return (step) => {
      characters += step.text.length;
      // A provider sends pieces without saying of how many tokens each is.
      const tokens = Math.max(step.tokens, Math.ceil(characters / CHARACTERS_PER_TOKEN));
      return isReached(tokens) ? reached : undefined;
    };
  };
  return [{ name: "cost", start }];
}
