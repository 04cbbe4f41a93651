import type { Check } from "./case.ts";
import type { Answer } from "./answer.ts";
import { endingOf } from "./expectation.ts";

/** A generation that has begun has one end, and it is the last that is known of it. */
export const ONE_FINISH: Check = {
  name: "one finish",
  guarantees: [1],
  run({ kept, got, isOver, observation: { kept: events, id } }) {
    return [
      id !== undefined && events === undefined && "it was answered, and nothing is kept of it",
      // One whose gateway died at once has nothing but the end that others have given it.
      events !== undefined && events[0]?.type !== "start" && !isLost(kept) && `its first event is ${events[0]?.type}`,
      kept !== undefined && kept.endings !== 1 && `what is kept has ${kept.endings} ends`,
      events !== undefined && events.at(-1)?.type !== "finish" && `its last event is ${events.at(-1)?.type}`,
      got !== undefined && isOver && got.endings !== 1 && `its client saw ${got.endings} ends`,
      got !== undefined && got.endings > 1 && `its client saw ${got.endings} ends`,
      got?.goesOnAfterEnd === true && "its client saw something after the end",
    ];
  },
};

/** It ended as it has to, and says so: never well where the provider was cut off, never stopped where nobody has. */
export const TRUTHFUL: Check = {
  name: "truthful ending",
  guarantees: [1, 8, 9, 10],
  run({ kept, expectation, observation: { plan } }) {
    if (kept?.signal === undefined || endingOf(expectation, kept) !== undefined) return [];
    const { reason, detail = "", providerSpecific, confidence } = kept.signal;
    const wanted = expectation.endings.map((each) =>
      [each.reason, each.detail, each.originalValue].filter(Boolean).join("/"),
    );
    const found = `${reason}/${detail}/${providerSpecific?.originalValue} (${confidence})`;
    return [`${plan.fault}, ${plan.conduct} led to ${found} and not to ${wanted.join(" or ")}`];
  },
};

/** An ending that nobody knows is told apart from a success, with the words of whoever said it. */
export const RAW_WORDS: Check = {
  name: "raw words",
  guarantees: [9],
  run({ kept }) {
    if (kept?.signal === undefined) return [];
    const { reason, confidence, providerSpecific } = kept.signal;
    return [
      (providerSpecific?.originalField ?? "") === "" && "the signal does not say whose word it is",
      reason === "unknown" && confidence !== "low" && `an unknown ending has the confidence ${confidence}`,
    ];
  },
};

/** Whoever pays is told how many tokens it was, also of what was cut or stopped. */
export const COUNTED: Check = {
  name: "token counts",
  guarantees: [3],
  run({ kept, got, isOver, observation: { plan, kept: events = [] } }) {
    if (kept === undefined) return [];
    const hasSpoken = kept.text !== "" || kept.reasoning !== "" || kept.calls.length > 0;
    const usage = events.findLast(({ type }) => type === "usage")?.usage;
    const word = String(kept.signal?.providerSpecific?.originalField);
    const isCounted = !["stop_string", "cancel", "max_characters", "max_milliseconds"].includes(word);
    const isNatural = ["natural_completion", "tool_calls", "content_filtered", "unknown"].includes(
      String(kept.signal?.reason),
    );
    return [
      // Those who end what a dead gateway has left do not count for it.
      hasSpoken && usage === undefined && !isLost(kept) && "there are no token counts",
      isNatural &&
        isCounted &&
        !(usage?.estimated ?? false) &&
        usage?.outputTokens !== plan.usage.output &&
        `${usage?.outputTokens} tokens instead of ${plan.usage.output}`,
      got !== undefined &&
        isOver &&
        !got.isError &&
        hasSpoken &&
        got.outputTokens !== kept.outputTokens &&
        `its client was told of ${got.outputTokens} tokens, and ${kept.outputTokens} are kept`,
    ];
  },
};

const isLost = (kept: Answer | undefined): boolean => kept?.signal?.detail === "owner_lost";
