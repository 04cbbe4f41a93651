import type { GenerationEvent, Usage } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import { compose } from "../stage.ts";
import type { Sink, Stage } from "../stage.ts";
import { defineGuard } from "../stop/guard.ts";
import type { StopRules } from "../stop/stop-rules.ts";
import { charactersOf, estimateUsage, settleUsage } from "../usage.ts";
import { countsFirst } from "./counts-first.ts";

/**
 * Applies stop rules to what a provider sends. An answer that a rule ends is left before the provider has said what it
 * has cost, so that is worked out here; one that ends by itself passes with the provider's own word.
 */
export function defineCut(rules: StopRules, request: GenerationRequest): Stage<GenerationEvent, GenerationEvent> {
  const guard = defineGuard(rules);
  const isWhole = request.stream === false;
  return (last) => {
    let characters = 0;
    let known: Usage | undefined;
    let isProviders = false;

    const settle = (next: Sink<GenerationEvent>): Sink<GenerationEvent> => ({
      push(event) {
        if (event.type === "finish" && !isProviders) {
          const estimate = estimateUsage(request, characters);
          // Counts that came with all of an answer are for all of it, and none are better.
          const usage = isWhole && known !== undefined ? known : settleUsage(known, estimate);
          next.push({ type: "usage", usage });
        }
        next.push(event);
      },
      end: () => next.end(),
    });
    const guarded = compose(guard, settle)(last);
    const look = (event: GenerationEvent): void => {
      characters += charactersOf(event);
      if (event.type === "usage") known = event.usage;
      else if (event.type === "finish") isProviders = true;
      guarded.push(event);
    };
    const end = (): void => {
      // Whoever ends without a finish has not been cut by a rule.
      isProviders = true;
      guarded.end();
    };
    const all = { push: look, end };
    return isWhole ? countsFirst(all) : all;
  };
}
