import { isDeepStrictEqual } from "node:util";
import type { Check } from "./case.ts";
import { isSame } from "./same-text.ts";

/** How long a stop may take: less than a gateway waits for a provider that is silent. */
const STOP_MILLISECONDS = 4000;

/** An order does what its receipt says, to the generation that it is for and to no other. */
export const ORDERS: Check = {
  name: "orders",
  guarantees: [10],
  run({ kept, isSkipped, observation: { orders, houseFault, wasOtherDown, plan } }) {
    return orders.flatMap(({ mode, who, isLate, milliseconds, status, result, text, reasoning, signal }) => {
      if (status === undefined) return [!wasOtherDown && houseFault === undefined && "an order was not answered"];
      if (status === 503) return [houseFault === undefined && !wasOtherDown && `an order was refused: ${result}`];
      if (who === "bob")
        return [(status !== 404 || result !== "not_found") && `a stranger's stop was answered with ${result}`];
      if (kept === undefined) return [];
      const isOurs = kept.signal?.reason === "cancelled" && kept.signal.detail === `torture-${plan.number}`;
      if (mode === "skip-thinking") {
        return [
          !["stopped", "not_thinking", "already_finished"].includes(String(result)) && `a skip led to ${result}`,
          result === "not_thinking" && isSkipped && "thinking was skipped, and nobody was told",
          result === "stopped" && !isSkipped && "a skip was confirmed and did not take place",
          result === "stopped" &&
            houseFault === undefined &&
            kept.signal?.skippedThinking !== true &&
            "the ending does not tell of the skip",
        ];
      }
      return [
        !["stopped", "already_finished"].includes(String(result)) &&
          houseFault === undefined &&
          `a stop led to ${result}`,
        mode === "stop" &&
          milliseconds > STOP_MILLISECONDS &&
          houseFault === undefined &&
          !wasOtherDown &&
          `a stop took ${milliseconds} ms`,
        isLate && result === "stopped" && !isOurs && "a stop after the end was confirmed",
        result === "already_finished" && isOurs && "a stop took effect and was not confirmed",
        result === "stopped" &&
          kept.signal?.reason !== "cancelled" &&
          `a stop was confirmed and ended with ${kept.signal?.reason}`,
        signal !== undefined &&
          signal.reason !== kept.signal?.reason &&
          `the receipt says ${signal.reason} of ${kept.signal?.reason}`,
        text !== undefined &&
          !isSame(text, kept.text) &&
          `the receipt has another text than is kept (${text.length}, ${kept.text.length})`,
        reasoning !== undefined && !isSame(reasoning, kept.reasoning) && "the receipt has other thinking than is kept",
      ];
    });
  },
};

/** Whoever leaves and comes back gets every event once and in order, from any gateway. */
export const RESUMED: Check = {
  name: "resumed",
  guarantees: [3, 10],
  run({ observation: { resumed, kept } }) {
    return [
      resumed !== undefined && !isDeepStrictEqual(resumed, kept) && "who came back got other events than are kept",
    ];
  },
};

/** A generation that has ended holds no connection to its provider. */
export const HUNG_UP: Check = {
  name: "upstream closed",
  guarantees: [10],
  run({ kept, observation: { exchanges } }) {
    const open = exchanges.filter(({ end }) => end === undefined);
    return [
      kept !== undefined && open.length > 0 && `${open.length} of its connections to the provider are still open`,
    ];
  },
};

/** Providers are asked as often as the table of bounds says, and wait for nobody forever. */
export const BOUNDED: Check = {
  name: "bounds",
  guarantees: [11],
  run({ isSkipped, observation: { exchanges, orders, plan, houseFault } }) {
    const mayAskAgain = isSkipped || (houseFault !== undefined && orders.some(({ mode }) => mode === "skip-thinking"));
    const stops = plan.rules.stops.map(({ text }) => text).filter((text) => text.length > 8);
    const passedOn = exchanges.some(({ body }) =>
      stops.some((stop) => JSON.stringify(body).includes(JSON.stringify(stop))),
    );
    return [
      exchanges.length > (mayAskAgain ? 2 : 1) && `its provider was asked ${exchanges.length} times`,
      passedOn && "a stop string was passed on to its provider",
    ];
  },
};
