import { textOf } from "../provider/frames.ts";
import { gather } from "./answer.ts";
import type { GotCall } from "./answer.ts";
import type { Check } from "./case.ts";
import { endingOf } from "./expectation.ts";
import { readStream } from "./read-stream.ts";
import { heldOf } from "./reference.ts";
import type { ShownCall } from "./reference.ts";
import { isBeginningOf, isSame } from "./same-text.ts";

/** What is kept is what the reference says, to the character. */
export const WHOLE: Check = {
  name: "whole content",
  guarantees: [2, 3, 4, 6, 7, 8],
  run({ kept, expectation, isSkipped }) {
    if (kept === undefined || endingOf(expectation, kept)?.isExact !== true) return [];
    const { outcome } = expectation;
    // Whether a call was whole is said after it, which an answer that fails may not come to.
    const isFailed = kept.isError;
    return [
      differ("text", kept.text, outcome.text),
      !isSkipped && differ("thinking", kept.reasoning, outcome.reasoning),
      differ("calls", describe(kept.calls, isFailed), describe(outcome.calls, isFailed)),
    ];
  },
};

/** What is kept of an answer that ended before its time is the beginning of it. */
export const BEGINNING: Check = {
  name: "beginning of the content",
  guarantees: [3, 4],
  run({ kept, expectation: { outcome }, isSkipped, observation: { plan } }) {
    if (kept === undefined) return [];
    const { most } = outcome;
    // A rule that shows its match lets more through than may be seen before it.
    const text = longer(most.text, outcome.text);
    const thinking = isSkipped ? textOf(plan.pieces, "reasoning") : longer(most.reasoning, outcome.reasoning);
    const calls = outcome.calls.map((call, index) => ({
      ...call,
      json: longer(call.json, most.calls[index]?.json ?? ""),
    }));
    return [
      !isBeginningOf(kept.text, text) && `text ${tail(kept.text)} is not the beginning of what was sent`,
      !isBeginningOf(kept.reasoning, thinking) &&
        `thinking ${tail(kept.reasoning)} is not the beginning of what was sent`,
      !isBeginning(kept.calls, calls) && `calls ${describe(kept.calls)} are not the beginning of ${describe(calls)}`,
      kept.text !== "" &&
        !isSkipped &&
        !isSame(kept.reasoning, outcome.reasoning) &&
        "text came before the end of the thinking",
      kept.calls.length > 0 && !isSame(kept.text, outcome.text) && "a call came before the end of the text",
    ];
  },
};

/** A time in which nothing comes, and within which all else would have come. */
const SILENCE_MILLISECONDS = 1000;

/**
 * What is held back is at any moment no more than what may become a stop string, and half a character. It is seen
 * where a provider falls silent: all else has to be there long before the gateway gives up.
 */
export const NO_DELAY: Check = {
  name: "no needless delay",
  guarantees: [5],
  run({ observation: { plan, client, exchanges, orders }, expectation, kept, isOver, isSkipped }) {
    const isSilent = plan.fault === "stall" && exchanges[0]?.isStream === true && !isSkipped;
    if (!isSilent || client.kind !== "http" || !isOver || !plan.isStream || plan.conduct === "slow-reader") return [];
    if (kept?.signal === undefined || expectation.outcome.rule !== undefined || orders.length > 0) return [];
    const { chunks } = client.received;
    // The silence ends with its time, or because the gateway has to end.
    const end = chunks.findLastIndex(({ at }, index) => at - (chunks[index - 1]?.at ?? at) > SILENCE_MILLISECONDS);
    if (end === -1) return [];
    const early = chunks.slice(0, end).map(({ bytes }) => bytes);
    const shown = gather(readStream(plan.door, Buffer.concat(early).toString()));
    const sent = plan.pieces.slice(0, plan.faultAt);
    const channel = sent.at(-1)?.channel;
    if (channel === undefined || channel === "call") return [];
    const all = textOf(sent, channel).replace(/[\uD800-\uDBFF]$/u, "");
    const held = heldOf(all, plan.rules, channel);
    return [differ(`${channel} before the silence ended`, shown[channel], all.slice(0, all.length - held.length))];
  },
};

function differ(what: string, found: string, wanted: string): string | false {
  if (isSame(found, wanted)) return false;
  let same = 0;
  while (same < found.length && found[same] === wanted[same]) same += 1;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, same - 12), same + 24));
  return `${what} has ${found.length} characters instead of ${wanted.length}; at ${same} it is ${around(found)} instead of ${around(wanted)}`;
}

const describe = (calls: readonly (GotCall | ShownCall)[], isFailed = false): string =>
  JSON.stringify(calls.map(({ name, json, isWhole }) => [name, json.toWellFormed(), isFailed || isWhole]));

const tail = (text: string): string => JSON.stringify(text.slice(-40));
const longer = (one: string, two: string): string => (one.length >= two.length ? one : two);

function isBeginning(found: readonly GotCall[], wanted: readonly ShownCall[]): boolean {
  return found.every(({ name, json, isWhole }, index) => {
    const call = wanted[index];
    if (call === undefined || name !== call.name || !isBeginningOf(json, call.json)) return false;
    return !isWhole || json === call.json;
  });
}
